/** The newest offset of each key, for a bounded number of keys. */
export interface NewestOffsets {
  /** Whether a limit is reached. */
  readonly full: boolean
  /** Offsets of a key must be added in ascending order. */
  add(key: Uint8Array, offset: bigint): void
  /** Whether a record of the key after the offset is known. */
  knowsNewer(key: Uint8Array, offset: bigint): boolean
}

export function createNewestOffsets(limits: { readonly keys: number; readonly bytes: number }): NewestOffsets {
  const offsets = new Map<string, bigint>()
  let bytes = 0
  return {
    get full() {
      return offsets.size >= limits.keys || bytes >= limits.bytes
    },
    add(key, offset) {
      const text = textOf(key)
      if (!offsets.has(text)) bytes += key.length
      offsets.set(text, offset)
    },
    knowsNewer(key, offset) {
      const newest = offsets.get(textOf(key))
      return newest !== undefined && newest > offset
    },
  }
}

/** One character per byte. */
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, length).toString('latin1')
}
