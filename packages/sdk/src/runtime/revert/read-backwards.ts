import { type Queue, type QueueRecord, readRange, type TopicPartition } from '@headrace/queue'

export async function* readBackwards(
  queue: Queue,
  { topic, partition }: TopicPartition,
): AsyncGenerator<readonly QueueRecord[], void, undefined> {
  const [description] = await queue.describe([topic])
  const bounds = description?.partitions[partition]
  if (!bounds) return
  const range = { topic, topicId: description.id, partition, from: bounds.earliest, to: bounds.end }
  // Retention removes only what is not needed any more.
  for await (const batch of readRange(queue, range, { order: 'desc', onRemoved() {} })) {
    yield [...batch.records()].reverse()
  }
}
