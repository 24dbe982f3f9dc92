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
  /** Current size. */
  bytes: number
}

export interface ByteCacheOptions<Value> {
  readonly maxBytes: number
  /** Memory of a value in bytes, without its name. */
  sizeOf(value: Value): number
  readonly counts: CacheCounts
}

export function createByteCache<Value>({ maxBytes, sizeOf, counts }: ByteCacheOptions<Value>): ByteCache<Value> {
  // In order of use: a Map keeps the order of insertion.
  const values = new Map<string, Value>()
  return {
    peek: (name) => values.get(name),
    get(name) {
      const value = values.get(name)
      if (value === undefined) counts.misses++
      else {
        counts.hits++
        values.delete(name)
        values.set(name, value)
      }
      return value
    },
    set(name, value) {
      remove(name)
      const size = costOf(name, value)
      if (size > maxBytes) return
      values.set(name, value)
      counts.bytes += size
      for (const oldest of values.keys()) {
        if (counts.bytes <= maxBytes) break
        remove(oldest)
      }
    },
  }

  function remove(name: string): void {
    const value = values.get(name)
    if (value !== undefined) counts.bytes -= costOf(name, value)
    values.delete(name)
  }

  function costOf(name: string, value: Value): number {
    return name.length + entryOverhead + sizeOf(value)
  }
}

/** Memory of an entry in addition to its name and value, in bytes. */
const entryOverhead = 256
