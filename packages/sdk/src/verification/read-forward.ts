import { type PositionLostError, type Queue, type RecordBatch, readRange, type TopicPartition } from '@headrace/queue'

/** Offsets of a partition, up to one that open transactions may still hold back. */
export interface PartitionStretch extends TopicPartition {
  readonly from: bigint
  readonly upTo: bigint
}

export interface ReadOptions {
  readonly signal: AbortSignal
  /** Called with how many offsets more have been passed. */
  onRead?(offsets: number): void
  /** Called where retention has removed what is read next: the batch that follows, if one does, is a later one. */
  onCut?(): void
}

/**
 * Reads the committed batches of a stretch in order, and waits for those that are being committed. What is lost is left
 * out; what retention removes in the meantime too, and is reported.
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
  let removedUpTo: bigint | undefined
  const onRemoved = ({ earliest }: PositionLostError): void => {
    removedUpTo = earliest
  }
  const noteRemoved = async (): Promise<void> => {
    if (removedUpTo === undefined || !onCut) return
    const [description] = await queue.describe([topic])
    // Of a range that a damaged file has lost, what was before it is still there.
    if ((description?.partitions[partition]?.earliest ?? 0n) >= removedUpTo) onCut()
    removedUpTo = undefined
  }
  for await (const batch of readRange(queue, range, { signal, onRemoved })) {
    await noteRemoved()
    yield batch
    onRead?.(Number(batch.nextOffset - passed))
    passed = batch.nextOffset
  }
  await noteRemoved()
  onRead?.(Number(upTo - passed))
}
