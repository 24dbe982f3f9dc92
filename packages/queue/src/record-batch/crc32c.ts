import { createRequire } from 'node:module'

export type Crc32c = (bytes: Uint8Array, start?: number, end?: number) => number

/** CRC-32C (Castagnoli, RFC 3720 B.4), by instructions of the processor if `native` is given. */
export function createCrc32c(native: ((bytes: Uint8Array) => number) | undefined): Crc32c {
  if (native === undefined) return crc32cByTables
  return (bytes, start = 0, end = bytes.length) => {
    if (end - start < minNativeBytes) return crc32cByTables(bytes, start, end)
    return native(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end))
  }
}

/** Measured: for fewer bytes a native call is slower. */
const minNativeBytes = 256

/** Of `bytes` from `start` up to `end`, unsigned. */
export const crc32c: Crc32c = createCrc32c(loadNative())

function loadNative(): ((bytes: Uint8Array) => number) | undefined {
  try {
    const { crc32c } = createRequire(import.meta.url)('@node-rs/crc32') as typeof import('@node-rs/crc32')
    return (bytes) => crc32c(bytes)
  } catch {
    // No binary for this machine, or no optional dependencies.
    return undefined
  }
}

/** About 1 byte per ns. */
function crc32cByTables(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let crc = -1
  let at = start
  for (const last = end - 15; at < last; at += 16) {
    const a = words.getInt32(at, true) ^ crc
    const b = words.getInt32(at + 4, true)
    const c = words.getInt32(at + 8, true)
    const d = words.getInt32(at + 12, true)
    crc =
      tables[0xf00 | (a & 0xff)]! ^
      tables[0xe00 | ((a >>> 8) & 0xff)]! ^
      tables[0xd00 | ((a >>> 16) & 0xff)]! ^
      tables[0xc00 | (a >>> 24)]! ^
      (tables[0xb00 | (b & 0xff)]! ^
        tables[0xa00 | ((b >>> 8) & 0xff)]! ^
        tables[0x900 | ((b >>> 16) & 0xff)]! ^
        tables[0x800 | (b >>> 24)]!) ^
      (tables[0x700 | (c & 0xff)]! ^
        tables[0x600 | ((c >>> 8) & 0xff)]! ^
        tables[0x500 | ((c >>> 16) & 0xff)]! ^
        tables[0x400 | (c >>> 24)]!) ^
      (tables[0x300 | (d & 0xff)]! ^
        tables[0x200 | ((d >>> 8) & 0xff)]! ^
        tables[0x100 | ((d >>> 16) & 0xff)]! ^
        tables[d >>> 24]!)
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ tables[(crc ^ bytes[at]!) & 0xff]!
  return ~crc >>> 0
}

// Slicing-by-16. Table n is for a byte that has n bytes of the slice after it.
const tables = createTables()

function createTables(): Int32Array {
  const reversedPolynomial = 0x82f63b78
  const made = new Int32Array(16 * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? reversedPolynomial : 0)
    made[byte] = crc
  }
  for (let at = 256; at < made.length; at++) {
    const before = made[at - 256]!
    made[at] = (before >>> 8) ^ made[before & 0xff]!
  }
  return made
}
