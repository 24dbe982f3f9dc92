import type { PartitionOffset, ReadResult } from '../../queue.ts'
import { decodeBatches } from '../../record-batch/decode.ts'
import { batchLayout } from '../../record-batch/layout.ts'
import type { StoredBatch } from '../../record-batch/stored-batch.ts'
import { checkAnswer } from '../connection/broker-error.ts'
import type { AbortedTransaction, FetchedPartition } from '../connection/fetch-request.ts'

export interface CommittedRead extends ReadResult {
  /** Leader epoch of the last batch, even of a marker. */
  readonly lastEpoch: number | undefined
}

export function committedRead(fetched: FetchedPartition, { topic, partition, offset }: PartitionOffset): CommittedRead {
  checkAnswer(fetched.errorCode, `reading "${topic}" partition ${partition}`, { request: 'Fetch', topic })
  const stored = decodeBatches(fetched.bytes, { topic, partition })
  // Compaction keeps an empty batch for the sequence number of its producer.
  const batches = committedBatches(stored, fetched.abortedTransactions)
    .filter(({ lastOffset, count }) => lastOffset >= offset && count > 0)
    .flatMap((batch) => (batch.baseOffset < offset ? recordsFrom(batch, offset) : batch))
  const reached = stored.at(-1)?.nextOffset ?? offset
  const next = reached > offset ? reached : offset
  // The last stable offset of a leader that was just elected may be too low.
  const end = fetched.lastStableOffset > next ? fetched.lastStableOffset : next
  return { batches, next, end, lastEpoch: lastEpoch(stored, fetched.bytes) }
}

/**
 * Drops aborted data and markers (KIP-98). A data batch is aborted if an aborted transaction of its producer starts at
 * or before it, and the abort marker comes later.
 */
export function committedBatches(
  batches: readonly StoredBatch[],
  abortedTransactions: readonly AbortedTransaction[],
): StoredBatch[] {
  const startsByProducer = firstOffsetsByProducer(abortedTransactions)
  const aborted = new Set<bigint>()
  const committed: StoredBatch[] = []
  for (const batch of batches) {
    const { producerId } = batch
    const ahead = startsByProducer.get(producerId)
    // For markers too: an answer may start between the data of a transaction and its abort marker.
    while (ahead && ahead.length > 0 && ahead[0]! <= batch.lastOffset) {
      ahead.shift()
      aborted.add(producerId)
    }
    // A user's key may look like the key of a marker.
    if (batch.control) {
      if (batch.controlType() === 'abort') aborted.delete(producerId)
    } else if (!batch.transactional || !aborted.has(producerId)) {
      committed.push(batch)
    }
  }
  return committed
}

/** The broker lists them in order of their end. */
function firstOffsetsByProducer(abortedTransactions: readonly AbortedTransaction[]): Map<bigint, bigint[]> {
  const inOrder = abortedTransactions.toSorted((one, other) => Number(one.firstOffset - other.firstOffset))
  const byProducer = [...Map.groupBy(inOrder, ({ producerId }) => producerId)]
  return new Map(byProducer.map(([id, transactions]) => [id, transactions.map(({ firstOffset }) => firstOffset)]))
}

/** The requested offset may be inside a batch, whose end compaction may have removed. */
function recordsFrom(batch: StoredBatch, offset: bigint): StoredBatch | [] {
  const remaining = batch.from(offset)
  return remaining.records().next().done ? [] : remaining
}

function lastEpoch(stored: readonly StoredBatch[], bytes: Uint8Array): number | undefined {
  const last = stored.at(-1)
  if (!last) return undefined
  const at = stored.reduce((sum, { byteLength }) => sum + byteLength, 0) - last.byteLength
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getInt32(at + batchLayout.leaderEpoch)
}
