import type { Queue, RecordBatch } from '@headrace/queue'

export interface ReadTopicOptions {
  readonly topic: string
  /** Default: the earliest offset. */
  readonly from?: bigint
  readonly signal?: AbortSignal
  onBatch(batch: RecordBatch): void
}

const readBytes = 1 << 20

/**
 * Reads a topic of one partition up to its end of this moment, and resolves to the offset after it. A topic that does
 * not exist is empty.
 */
export async function readTopic(queue: Queue, { topic, from, signal, onBatch }: ReadTopicOptions): Promise<bigint> {
  const [bounds] = (await queue.describe([topic]))[0]?.partitions ?? []
  let offset = from ?? bounds?.earliest ?? 0n
  while (bounds && offset < bounds.end) {
    const read = await queue.read({ topic, partition: 0, offset }, { maxBytes: readBytes, ...(signal && { signal }) })
    for (const batch of read.batches) onBatch(batch)
    offset = read.next
  }
  return offset
}
