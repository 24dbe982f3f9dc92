import { murmur2 } from '../../partitioner.ts'

/**
 * The keys that a batch may hold: a Bloom filter of 64 bits, three of which are set for each key. A batch of few keys is
 * a false positive in a few of a hundred searches, a batch of very many keys always.
 */
export interface KeyBits {
  /** Both halves as signed integers of 32 bits. */
  readonly low: number
  readonly high: number
}

/** Matches every key: for batches without a filter. */
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

export function keyBitsOf(records: Iterable<{ readonly key: Uint8Array | null }>): KeyBits {
  const marker = createKeyMarker()
  for (const { key } of records) if (key !== null) marker.add(key)
  return marker
}

/** Whether a batch may hold all of the wanted keys. */
export function mayHold(batch: KeyBits, wanted: KeyBits): boolean {
  return (batch.low & wanted.low) === wanted.low && (batch.high & wanted.high) === wanted.high
}
