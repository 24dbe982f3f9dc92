import { type Queue, type RecordBatch, readRange, type TopicPartition } from '@headrace/queue'

/** Offsets of a partition, up to one that open transactions may still hold back. */
export interface PartitionStretch extends TopicPartition {
  readonly from: bigint
  readonly upTo: bigint
}

export interface ReadOptions {
  readonly signal: AbortSignal
  /** Called with how many offsets more have been passed. */
  onRead?(offsets: number): void
  /** Called where what is read next has been removed: the batch that follows, if one does, is a later one. */
  onCut?(): void
}

/**
 * Reads the committed batches of a stretch in order, and waits for those that are being committed. What retention removes
 * in the meantime is left out, and reported.
 *
 * @throws {QueueUnavailableError} the queue does not answer with what it holds.
 */
export async function* readForward(
  queue: Queue,
  { topic, partition, from, upTo }: PartitionStretch,
  { signal, onRead, onCut }: ReadOptions,
): AsyncGenerator<RecordBatch, void, undefined> {
  let passed = from
  const range = { topic, partition, from, to: upTo }
  for await (const batch of readRange(queue, range, { signal, onRemoved: () => onCut?.() })) {
    yield batch
    onRead?.(Number(batch.nextOffset - passed))
    passed = batch.nextOffset
  }
  onRead?.(Number(upTo - passed))
}
