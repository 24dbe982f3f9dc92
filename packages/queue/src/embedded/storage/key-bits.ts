import { murmur2 } from '../../partitioner.ts'

/**
 * Which keys a batch may hold: a Bloom filter of 64 bits, three of them set for each key. The newest record of a key is
 * found by looking only into batches that have its bits; a batch of few keys is looked into in vain a few times in a
 * hundred, one of very many keys always.
 */
export interface KeyBits {
  /** Both halves as signed integers of 32 bits. */
  readonly low: number
  readonly high: number
}

/** For batches whose keys are not marked: they may hold any. */
export const anyKey: KeyBits = { low: -1, high: -1 }

/** Collects the bits of keys. */
export interface KeyMarker extends KeyBits {
  add(key: Uint8Array): void
  clear(): void
}

export function createKeyMarker(): KeyMarker {
  let low = 0
  let high = 0

  function set(bit: number): void {
    if (bit < 32) low |= 1 << bit
    else high |= 1 << (bit - 32)
  }

  return {
    get low() {
      return low
    },
    get high() {
      return high
    },
    add(key) {
      const hash = murmur2(key)
      set(hash & 63)
      set((hash >>> 6) & 63)
      set((hash >>> 12) & 63)
    },
    clear() {
      low = 0
      high = 0
    },
  }
}

/** Whether a batch with bits of its own may hold the keys of others. */
export function mayHold(batch: KeyBits, wanted: KeyBits): boolean {
  return (batch.low & wanted.low) === wanted.low && (batch.high & wanted.high) === wanted.high
}
