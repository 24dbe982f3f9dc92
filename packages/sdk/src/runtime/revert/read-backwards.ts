import { type Queue, type QueueRecord, readRange, type TopicPartition } from '@headrace/queue'

/**
 * Reads the records of a partition from its end back to its earliest, some at a time, newest first. It ends where
 * retention has removed the older ones.
 *
 * @throws {QueueUnavailableError} the queue does not answer with what it holds.
 */
export async function* readBackwards(
  queue: Queue,
  { topic, partition }: TopicPartition,
): AsyncGenerator<readonly QueueRecord[], void, undefined> {
  const [description] = await queue.describe([topic])
  const bounds = description?.partitions[partition]
  if (!bounds) return
  const range = { topic, topicId: description.id, partition, from: bounds.earliest, to: bounds.end }
  // Retention leaves what is still needed.
  for await (const batch of readRange(queue, range, { order: 'desc', onRemoved() {} })) {
    yield [...batch.records()].reverse()
  }
}
