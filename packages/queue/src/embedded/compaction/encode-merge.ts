import { encodeCompacted } from '../../record-batch/encode-compacted.ts'
import { checksumIn } from '../storage/batch-bytes.ts'
import type { Replacement } from '../storage/batch-table.ts'
import { keyBitsOf } from '../storage/key-bits.ts'
import type { Merge } from './merge-batches.ts'

/** Encodes the merged batch and its row. */
export function encodeMerge({ rows, kept, tombstonesUntil }: Merge): Replacement {
  const first = rows[0]!
  const last = rows.at(-1)!
  const bytes = encodeCompacted(kept, { baseOffset: BigInt(first.baseOffset), lastOffset: BigInt(last.lastOffset) })
  const keys = keyBitsOf(kept)
  return {
    before: rows,
    bytes,
    after: {
      baseOffset: first.baseOffset,
      lastOffset: last.lastOffset,
      maxTime: last.maxTime,
      keysLow: keys.low,
      keysHigh: keys.high,
      tombstonesUntil,
      bytesId: first.bytesId,
      size: bytes.length,
      batchChecksum: checksumIn(bytes),
    },
  }
}
