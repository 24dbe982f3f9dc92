import { crc32c } from '../../record-batch/crc32c.ts'

export type ColumnValue = number | string | Uint8Array | null

/** CRC-32C of the columns of a row. */
export function rowChecksum(values: readonly ColumnValue[]): number {
  let at = 0
  for (const value of values) {
    if (typeof value === 'number') {
      view.setFloat64(at, value)
      at += 8
    } else if (typeof value !== 'string') {
      // The checksum of the bytes, because the bytes may be longer than the buffer.
      view.setInt32(at, value?.length ?? -1)
      view.setUint32(at + 4, value === null ? 0 : crc32c(value))
      at += 8
    } else {
      const { written } = utf8.encodeInto(value, scratch.subarray(at + 4, scratch.length - reserved))
      view.setInt32(at, written)
      at += 4 + written
    }
  }
  return crc32c(scratch.subarray(0, at))
}

const scratch = new Uint8Array(8192)
const view = new DataView(scratch.buffer)
const utf8 = new TextEncoder()

/** Bytes for the columns after a long text. The checksum covers only the part of the text that fits before them. */
const reserved = 256
