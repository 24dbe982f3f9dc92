/**
 * The partition of a key, as Kafka's Java producer chooses it: murmur2 of the key, its sign bit cleared, modulo the
 * number of partitions.
 *
 * @param partitions - Number of partitions, at least 1.
 */
export function partitionForKey(key: Uint8Array, partitions: number): number {
  return (murmur2(key) & 0x7fff_ffff) % partitions
}

/** MurmurHash2 with 32 bits and the seed that Kafka uses, as a signed number. */
export function murmur2(bytes: Uint8Array): number {
  const whole = bytes.length & ~3
  let hash = 0x9747b28c ^ bytes.length
  for (let at = 0; at < whole; at += 4) {
    let word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    word = Math.imul(word, multiplier)
    word = Math.imul(word ^ (word >>> 24), multiplier)
    hash = Math.imul(hash, multiplier) ^ word
  }
  const rest = bytes.length - whole
  if (rest > 2) hash ^= bytes[whole + 2]! << 16
  if (rest > 1) hash ^= bytes[whole + 1]! << 8
  if (rest > 0) hash = Math.imul(hash ^ bytes[whole]!, multiplier)
  hash = Math.imul(hash ^ (hash >>> 13), multiplier)
  return hash ^ (hash >>> 15)
}

const multiplier = 0x5bd1e995
