import { crc32c } from '../../../queue/src/record-batch/crc32c.ts'
import { encodeCompacted } from '../../../queue/src/record-batch/encode.ts'
import { batchLayout } from '../../../queue/src/record-batch/layout.ts'
import type { QueueRecord } from '../../../queue/src/record-batch/record-batch.ts'
import { viewBatch } from '../../../queue/src/record-batch/stored-batch.ts'
import { isAborted } from './partition-reading.ts'
import type { PartitionState } from './producer-state.ts'
import type { LoggedBatch, Replica } from './replica.ts'

/**
 * Removes from one replica the records with a newer record of the same key, and those of aborted transactions, as the
 * log cleaner does. Offsets stay. Markers and the last batch of a producer stay, too, the batch without records.
 *
 * @param end - A stable offset. Only batches that end before it are cleaned.
 */
export function compact(replica: Replica, { aborted }: PartitionState, end: bigint): void {
  const dirty = replica.batches.filter(({ view }) => view.nextOffset <= end)
  const newest = new Map<string, bigint>()
  const last = new Map<bigint, LoggedBatch>()
  for (const batch of replica.batches) if (!batch.view.control) last.set(batch.view.producerId, batch)
  for (const batch of dirty)
    if (!batch.view.control && !isAborted(batch.view, aborted))
      for (const { key, offset } of batch.view.records()) newest.set(keyOf(key), offset)
  for (const batch of dirty) {
    if (batch.view.control) continue
    const records = [...batch.view.records()]
    const kept = isAborted(batch.view, aborted)
      ? []
      : records.filter(({ key, offset }) => newest.get(keyOf(key)) === offset)
    if (kept.length === records.length) continue
    const stays = kept.length > 0 || last.get(batch.view.producerId) === batch
    replica.cleaned.set(batch, stays ? withRecords(batch, kept) : undefined)
  }
}

const keyOf = (key: Uint8Array | null): string => Buffer.from(key!).toString('hex')

/** The batch with some of its records, at their offsets. */
function withRecords(batch: LoggedBatch, records: readonly QueueRecord[]): LoggedBatch {
  const { view, bytes } = batch
  const cleaned = encodeCompacted(records, view)
  const header = new DataView(cleaned.buffer, cleaned.byteOffset)
  const original = new DataView(bytes.buffer, bytes.byteOffset)
  header.setInt32(batchLayout.leaderEpoch, original.getInt32(batchLayout.leaderEpoch))
  header.setInt16(batchLayout.attributes, original.getInt16(batchLayout.attributes))
  header.setBigInt64(batchLayout.producerId, view.producerId)
  header.setInt16(batchLayout.producerEpoch, view.producerEpoch)
  header.setInt32(batchLayout.baseSequence, view.baseSequence)
  header.setUint32(batchLayout.checksum, crc32c(cleaned.subarray(batchLayout.attributes)))
  return { ...batch, bytes: cleaned, view: viewBatch(cleaned, { topic: '', partition: 0 }) }
}
