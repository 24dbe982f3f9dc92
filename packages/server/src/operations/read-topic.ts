import { type Queue, type RecordBatch, readRange } from '@headrace/queue'

/**
 * Reads a topic of one partition from an offset, the earliest by default, to its end of this moment. A topic that does
 * not exist is empty.
 */
export async function* readTopic(queue: Queue, topic: string, from?: bigint): AsyncGenerator<RecordBatch> {
  const [bounds] = (await queue.describe([topic]))[0]?.partitions ?? []
  if (bounds) yield* readRange(queue, { topic, partition: 0, from: from ?? bounds.earliest, to: bounds.end })
}
