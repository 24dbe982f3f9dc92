import { LRUCache } from 'lru-cache'

/** Evicts the least recently used value above a number of bytes. */
export interface ByteCache<Value> {
  get(name: string): Value | undefined
  peek(name: string): Value | undefined
  set(name: string, value: Value): void
}

export interface CacheCounts {
  hits: number
  misses: number
  bytes: number
}

/** Bytes per entry, besides name and value. */
const entryOverhead = 256

export function createByteCache<Value extends object | string>(
  maxBytes: number,
  counts: CacheCounts,
  sizeOf: (value: Value) => number,
): ByteCache<Value> {
  const cache = new LRUCache<string, Value>({
    maxSize: Math.ceil(maxBytes),
    sizeCalculation: (value, name) => name.length + entryOverhead + sizeOf(value),
  })
  return {
    peek: (name) => cache.peek(name),
    get(name) {
      const value = cache.get(name)
      counts[value === undefined ? 'misses' : 'hits']++
      return value
    },
    set(name, value) {
      cache.set(name, value)
      counts.bytes = cache.calculatedSize
    },
  }
}
