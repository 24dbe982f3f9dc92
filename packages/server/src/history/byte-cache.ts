import { LRUCache } from 'lru-cache'

/** A least recently used cache, bounded in bytes. */
export interface ByteCache<Value> {
  get(name: string): Value | undefined
  /** Like `get`, but does not count as a use. */
  peek(name: string): Value | undefined
  set(name: string, value: Value): void
}

export interface CacheCounts {
  hits: number
  misses: number
  bytes: number
}

export interface ByteCacheOptions<Value> {
  readonly maxBytes: number
  /** Memory of a value in bytes, without its name. */
  sizeOf(value: Value): number
  readonly counts: CacheCounts
}

/** Memory of an entry in addition to its name and value, in bytes. */
const entryOverhead = 256

export function createByteCache<Value extends object | string>(options: ByteCacheOptions<Value>): ByteCache<Value> {
  const { maxBytes, sizeOf, counts } = options
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
