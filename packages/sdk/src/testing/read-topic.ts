import type { Queue, QueueRecord } from '@headrace/queue'

/** Reads every record of a topic that there is, partition by partition. Nothing, where there is no such topic. */
export async function* readTopic(queue: Queue, topic: string): AsyncGenerator<QueueRecord, void, undefined> {
  const [description] = await queue.describe([topic])
  for (const [partition, { earliest, end }] of (description?.partitions ?? []).entries()) {
    for (let offset = earliest; offset < end; ) {
      const { batches, next } = await queue.read({ topic, partition, offset }, { maxBytes: 1024 * 1024 })
      for (const batch of batches) yield* batch.records()
      offset = next
    }
  }
}
