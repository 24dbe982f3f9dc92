import { readRecordHeaders } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'

export interface PublishedRecord {
  readonly key: string
  readonly unit: number | undefined
  readonly seq: number | undefined
  readonly offset: bigint
}

/** Every committed record of a topic of one partition, from its beginning to its end as it is now. */
export async function publishedRecords(queue: Queue, topic: string): Promise<PublishedRecord[]> {
  const published: PublishedRecord[] = []
  const [description] = await queue.describe([topic])
  const end = description?.partitions[0]?.end ?? 0n
  for (let offset = description?.partitions[0]?.earliest ?? 0n; offset < end; ) {
    const { batches, next } = await queue.read({ topic, partition: 0, offset }, { maxBytes: 4 << 20 })
    for (const batch of batches)
      for (const record of batch.records()) {
        const { unit, seq } = readRecordHeaders(record.headers)
        published.push({ key: Buffer.from(record.key ?? []).toString(), unit, seq, offset: record.offset })
      }
    offset = next
  }
  return published
}

/** How many units are whole in a topic of one record a unit. */
export async function publishedCount(queue: Queue, topic: string): Promise<number> {
  return (await publishedRecords(queue, topic)).length
}
