import { murmur2 } from '../partitioner.ts'

/**
 * Which keys a batch may hold: a Bloom filter of 64 bits, three of them set for each key. The newest record of a key is
 * found by looking only into batches that have its bits; a batch of few keys is looked into in vain a few times in a
 * hundred, one of very many keys always.
 */
export interface KeyBits {
  add(key: Uint8Array): void
  /** As a signed integer, which is what SQLite stores. */
  value(): bigint
  clear(): void
}

/** For batches whose keys are not marked: they may hold any. */
export const anyKey = -1n

export function createKeyBits(): KeyBits {
  let low = 0
  let high = 0

  function set(bit: number): void {
    if (bit < 32) low |= 1 << bit
    else high |= 1 << (bit - 32)
  }

  return {
    add(key) {
      const hash = murmur2(key)
      set(hash & 63)
      set((hash >>> 6) & 63)
      set((hash >>> 12) & 63)
    },
    value: () => (BigInt(high) << 32n) | BigInt(low >>> 0),
    clear() {
      low = 0
      high = 0
    },
  }
}
