import { readRecordHeaders } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'

export interface PublishedRecord {
  readonly key: string
  readonly unit: number | undefined
  readonly seq: number | undefined
  readonly offset: bigint
}

/** Every committed record of a topic of one partition, up to its current end. */
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

/** Resolves when a topic of one partition has this number of committed records. */
export async function untilPublished(queue: Queue, topic: string, count: number, signal: AbortSignal): Promise<void> {
  const enough = new AbortController()
  const positions = [{ topic, partition: 0, offset: 0n }]
  let seen = 0
  for await (const batch of queue.follow(positions, { signal: AbortSignal.any([enough.signal, signal]) })) {
    for (const _ of batch.records()) seen++
    if (seen >= count) enough.abort()
  }
}
