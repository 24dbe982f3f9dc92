/** Values by name, the most recently used ones up to a number of bytes. */
export interface ByteCache<Value> {
  get(name: string): Value | undefined
  /** The same for whoever only looks: it counts as no use. */
  peek(name: string): Value | undefined
  set(name: string, value: Value): void
}

/** How a cache does, for whoever runs it. */
export interface CacheCounts {
  hits: number
  misses: number
  /** What it holds now. */
  bytes: number
}

export interface ByteCacheOptions<Value> {
  readonly maxBytes: number
  /** What a value costs in memory, besides its name. */
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

/** What an entry costs in memory besides what is in it. */
const entryOverhead = 256
