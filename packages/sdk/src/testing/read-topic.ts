import { type Queue, type QueueRecord, readRange } from '@headrace/queue'

/**
 * Reads every record of a topic that was committed before the call, partition by partition. Nothing, where there is no
 * such topic. It waits for transactions that are open: in a topic of many writers another one's may be before what is
 * looked for.
 */
export async function* readTopic(queue: Queue, topic: string): AsyncGenerator<QueueRecord, void, undefined> {
  const [description] = await queue.describe([topic])
  for (const [partition, { earliest: from }] of (description?.partitions ?? []).entries()) {
    const to = await queue.highWatermark(topic, partition)
    for await (const batch of readRange(queue, { topic, partition, from, to })) yield* batch.records()
  }
}
