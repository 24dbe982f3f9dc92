import { type Queue, type RecordBatch, readRange } from '@headrace/queue'

/** Reads a topic of one partition up to its current end. A missing topic is empty. */
export async function* readTopic(queue: Queue, topic: string, from?: bigint): AsyncGenerator<RecordBatch> {
  const [bounds] = (await queue.describe([topic]))[0]?.partitions ?? []
  if (bounds) yield* readRange(queue, { topic, partition: 0, from: from ?? bounds.earliest, to: bounds.end })
}
