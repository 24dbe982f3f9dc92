import { crc32c } from '../src/record-batch/crc32c.ts'
import { batchLayout, batchMagic, uncountedBytes } from '../src/record-batch/layout.ts'

export interface CraftedBatch {
  readonly baseOffset?: bigint
  readonly attributes?: number
  readonly count?: number
  readonly lastOffsetDelta?: number
  readonly baseTime?: bigint
  readonly maxTime?: bigint
  /** As stored, compressed or not. */
  readonly records?: Uint8Array
}

/** A batch with these fields and a valid checksum. */
export function craftBatch({
  baseOffset = 0n,
  attributes = 0,
  count = 1,
  lastOffsetDelta = count - 1,
  baseTime = 1_000n,
  maxTime = 1_000n,
  records = new Uint8Array(0),
}: CraftedBatch): Uint8Array {
  const batch = new Uint8Array(batchLayout.records + records.length)
  batch.set(records, batchLayout.records)
  const view = new DataView(batch.buffer)
  view.setBigInt64(batchLayout.baseOffset, baseOffset)
  view.setInt32(batchLayout.length, batch.length - uncountedBytes)
  view.setInt8(batchLayout.magic, batchMagic)
  view.setInt16(batchLayout.attributes, attributes)
  view.setInt32(batchLayout.lastOffsetDelta, lastOffsetDelta)
  view.setBigInt64(batchLayout.baseTime, baseTime)
  view.setBigInt64(batchLayout.maxTime, maxTime)
  view.setBigInt64(batchLayout.producerId, -1n)
  view.setInt16(batchLayout.producerEpoch, -1)
  view.setInt32(batchLayout.baseSequence, -1)
  view.setInt32(batchLayout.count, count)
  view.setUint32(batchLayout.checksum, crc32c(batch.subarray(batchLayout.attributes)))
  return batch
}
