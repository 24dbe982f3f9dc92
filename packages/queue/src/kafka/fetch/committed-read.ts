import type { PartitionOffset } from '../../queue.ts'
import { decodeBatches } from '../../record-batch/decode.ts'
import { batchLayout } from '../../record-batch/layout.ts'
import type { StoredBatch } from '../../record-batch/stored-batch.ts'
import { checkAnswer } from '../connection/broker-error.ts'
import type { FetchedPartition } from '../connection/fetch-request.ts'
import { committedBatches } from './read-committed.ts'

export interface CommittedRead {
  /** Visible batches from the offset asked for on. */
  readonly batches: StoredBatch[]
  /** The offset to go on from, past markers, aborted data and what compaction took. */
  readonly next: bigint
  /** The last stable offset. */
  readonly end: bigint
  /** Leader epoch of the last batch before `next`, visible or not; `undefined` where none was answered. */
  readonly lastEpoch: number | undefined
}

/** What a reader of committed records sees in one partition of a Fetch answer. Throws `BrokerError` on an error code. */
export function committedRead(fetched: FetchedPartition, { topic, partition, offset }: PartitionOffset): CommittedRead {
  checkAnswer(fetched.errorCode, `reading "${topic}" partition ${partition}`, { request: 'Fetch', topic })
  const stored = decodeBatches(fetched.bytes, { topic, partition })
  // One may have been emptied by compaction, and be kept for the sequence number of its producer.
  const batches = committedBatches(stored, fetched.abortedTransactions)
    .filter(({ lastOffset, count }) => lastOffset >= offset && count > 0)
    .flatMap((batch) => (batch.baseOffset < offset ? recordsFrom(batch, offset) : batch))
  const reached = stored.at(-1)?.nextOffset ?? offset
  const next = reached > offset ? reached : offset
  // A leader that has just been elected may not know yet how far its predecessor had come.
  const end = fetched.lastStableOffset > next ? fetched.lastStableOffset : next
  return { batches, next, end, lastEpoch: lastEpoch(stored, fetched.bytes) }
}

/** A batch is answered whole, also where the offset asked for is inside of it. Compaction may have taken the rest of it. */
function recordsFrom(batch: StoredBatch, offset: bigint): StoredBatch | [] {
  const rest = batch.from(offset)
  return rest.records().next().done ? [] : rest
}

function lastEpoch(stored: readonly StoredBatch[], bytes: Uint8Array): number | undefined {
  const last = stored.at(-1)
  if (!last) return undefined
  const at = stored.reduce((sum, { byteLength }) => sum + byteLength, 0) - last.byteLength
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getInt32(at + batchLayout.leaderEpoch)
}
