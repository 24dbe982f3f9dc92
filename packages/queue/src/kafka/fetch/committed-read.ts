import type { PartitionOffset } from '../../queue.ts'
import { decodeBatches } from '../../record-batch/decode.ts'
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
}

/** What a reader of committed records sees in one partition of a Fetch answer. Throws `BrokerError` on an error code. */
export function committedRead(fetched: FetchedPartition, { topic, partition, offset }: PartitionOffset): CommittedRead {
  checkAnswer(fetched.errorCode, `reading "${topic}" partition ${partition}`)
  const stored = decodeBatches(fetched.bytes, { topic, partition })
  // A batch is answered whole, also where the offset asked for lies inside it.
  const batches = committedBatches(stored, fetched.abortedTransactions)
    .filter(({ lastOffset }) => lastOffset >= offset)
    .map((batch) => (batch.baseOffset < offset ? batch.from(offset) : batch))
  const reached = stored.at(-1)?.nextOffset ?? offset
  return { batches, next: reached > offset ? reached : offset, end: fetched.lastStableOffset }
}
