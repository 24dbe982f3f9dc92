import { type PositionLostError, type Queue, type RecordBatch, readRange, type TopicPartition } from '@headrace/queue'

/** `upTo` may be after the last stable offset. */
export interface OffsetRange extends TopicPartition {
  readonly from: bigint
  readonly upTo: bigint
}

export interface ReadOptions {
  readonly signal: AbortSignal
  onRead?(offsets: number): void
  /** Called where retention has removed the next records: the next batch, if any, is a later one. */
  onCut?(): void
}

/** Waits for open transactions, and skips lost and removed records. */
export async function* readForward(
  queue: Queue,
  { topic, partition, from, upTo }: OffsetRange,
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
    // Where a damaged file has lost a range, earlier records are still there.
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
