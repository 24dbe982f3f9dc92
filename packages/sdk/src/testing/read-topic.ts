import type { Queue, QueueRecord } from '@headrace/queue'

const waitMs = 250

/**
 * Reads every record of a topic that was committed before the call, partition by partition. Nothing, where there is no
 * such topic. It waits for transactions that are open: in a topic of many writers another one's may lie before what is
 * looked for.
 */
export async function* readTopic(queue: Queue, topic: string): AsyncGenerator<QueueRecord, void, undefined> {
  const [description] = await queue.describe([topic])
  for (const [partition, { earliest }] of (description?.partitions ?? []).entries()) {
    const end = await queue.highWatermark(topic, partition)
    for (let offset = earliest; offset < end; ) {
      const at = { topic, partition, offset }
      const { batches, next } = await queue.read(at, { maxBytes: 1024 * 1024, maxWaitMs: waitMs })
      for (const batch of batches) yield* batch.records()
      offset = next
    }
  }
}
