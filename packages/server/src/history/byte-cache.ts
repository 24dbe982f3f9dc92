/** Values by name, the most recently used ones up to a number of bytes. */
export interface ByteCache<Value> {
  get(name: string): Value | undefined
  set(name: string, value: Value): void
}

export interface ByteCacheOptions<Value> {
  readonly maxBytes: number
  /** What a value costs in memory. */
  sizeOf(value: Value): number
}

export function createByteCache<Value>({ maxBytes, sizeOf }: ByteCacheOptions<Value>): ByteCache<Value> {
  // In order of use: a Map keeps the order of insertion.
  const values = new Map<string, Value>()
  let heldBytes = 0
  return {
    get(name) {
      const value = values.get(name)
      if (value !== undefined) {
        values.delete(name)
        values.set(name, value)
      }
      return value
    },
    set(name, value) {
      remove(name)
      if (sizeOf(value) > maxBytes) return
      values.set(name, value)
      heldBytes += sizeOf(value)
      for (const oldest of values.keys()) {
        if (heldBytes <= maxBytes) break
        remove(oldest)
      }
    },
  }

  function remove(name: string): void {
    const value = values.get(name)
    if (value !== undefined) heldBytes -= sizeOf(value)
    values.delete(name)
  }
}
