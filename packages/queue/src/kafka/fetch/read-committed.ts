import type { StoredBatch } from '../../record-batch/stored-batch.ts'
import type { AbortedTransaction } from '../connection/fetch-request.ts'

/**
 * The data batches of committed transactions, and of none, among the batches of one answer up to the last stable offset.
 *
 * A data batch is void when a transaction of its producer that was aborted began at or before it and its abort marker
 * has not come yet. The marker may lie beyond the answer. Aborted transactions are listed in the order in which they
 * ended, and a producer may be among them several times, so they are sorted by producer. (KIP-98)
 */
export function committedBatches(
  batches: readonly StoredBatch[],
  abortedTransactions: readonly AbortedTransaction[],
): StoredBatch[] {
  const beginnings = beginningsByProducer(abortedTransactions)
  const aborted = new Set<bigint>()
  const committed: StoredBatch[] = []
  for (const batch of batches) {
    const { producerId } = batch
    const ahead = beginnings.get(producerId)
    // Before its marker too: an answer may begin between the data of a transaction and its abort marker.
    while (ahead && ahead.length > 0 && ahead[0]! <= batch.lastOffset) {
      ahead.shift()
      aborted.add(producerId)
    }
    // By its attributes: a user's key may look like a marker's.
    if (batch.control) {
      if (batch.controlType() === 'abort') aborted.delete(producerId)
    } else if (!batch.transactional || !aborted.has(producerId)) {
      committed.push(batch)
    }
  }
  return committed
}

/** First offsets of aborted transactions in ascending order. */
function beginningsByProducer(abortedTransactions: readonly AbortedTransaction[]): Map<bigint, bigint[]> {
  const beginnings = new Map<bigint, bigint[]>()
  for (const { producerId, firstOffset } of abortedTransactions) {
    const ofProducer = beginnings.get(producerId)
    if (ofProducer) ofProducer.push(firstOffset)
    else beginnings.set(producerId, [firstOffset])
  }
  for (const offsets of beginnings.values()) offsets.sort((one, other) => (one < other ? -1 : one > other ? 1 : 0))
  return beginnings
}
