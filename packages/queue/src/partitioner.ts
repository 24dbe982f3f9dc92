/** The partition that Kafka's Java producer chooses for a key. `partitions` is at least 1. */
export function partitionForKey(key: Uint8Array, partitions: number): number {
  return (murmur2(key) & 0x7fff_ffff) % partitions
}

/** 32-bit MurmurHash2 with Kafka's seed, as a signed number. */
export function murmur2(bytes: Uint8Array): number {
  const whole = bytes.length & ~3
  let hash = 0x9747b28c ^ bytes.length
  for (let at = 0; at < whole; at += 4) {
    let word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    word = Math.imul(word, multiplier)
    word = Math.imul(word ^ (word >>> 24), multiplier)
    hash = Math.imul(hash, multiplier) ^ word
  }
  const remaining = bytes.length - whole
  if (remaining > 2) hash ^= bytes[whole + 2]! << 16
  if (remaining > 1) hash ^= bytes[whole + 1]! << 8
  if (remaining > 0) hash = Math.imul(hash ^ bytes[whole]!, multiplier)
  hash = Math.imul(hash ^ (hash >>> 13), multiplier)
  return hash ^ (hash >>> 15)
}

const multiplier = 0x5bd1e995
