import { crc32c } from '../../record-batch/crc32c.ts'

/** What a column of the queue's tables holds. */
export type ColumnValue = number | string

/**
 * CRC-32C over the columns of a row. SQLite finds pages that contradict each other, but not a number that has changed:
 * a wrong end or a wrong epoch would be believed.
 */
export function rowChecksum(values: readonly ColumnValue[]): number {
  let at = 0
  for (const value of values) {
    if (typeof value === 'number') {
      view.setFloat64(at, value)
      at += 8
    } else {
      // A length before each text, so that no two rows give the same bytes.
      const { written } = utf8.encodeInto(String(value), scratch.subarray(at + 4, scratch.length - reserved))
      view.setInt32(at, written)
      at += 4 + written
    }
  }
  return crc32c(scratch, 0, at)
}

/** Used within one call at a time, so that nothing is allocated on the path of a commit. */
const scratch = new Uint8Array(8192)
const view = new DataView(scratch.buffer)
const utf8 = new TextEncoder()

/** For the columns after a long text: of that no more is covered than fits. */
const reserved = 256
