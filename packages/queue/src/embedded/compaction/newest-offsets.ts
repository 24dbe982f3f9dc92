/** The newest offset of each of a bounded number of keys. */
export interface NewestOffsets {
  /** Whether as many keys are held as there may be. */
  readonly full: boolean
  /** Offsets of a key are added in rising order. */
  add(key: Uint8Array, offset: bigint): void
  /** Whether a newer record of the key is known than the one at the offset. */
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

/** A character for each byte. */
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, length).toString('latin1')
}
