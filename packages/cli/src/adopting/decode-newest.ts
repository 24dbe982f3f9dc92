import { type Adoption, createTopicFormat, type FormatContext, hideOwnHeaders, withCursor } from '@headrace/catalog'
import type { Queue, QueueRecord, TopicDescription } from '@headrace/queue'
import { readBackward } from '../reading/partition-records.ts'

export interface DecodedRecords {
  readonly read: number
  readonly failed: number
  /** Of the newest one that failed. */
  readonly reason?: string
}

/** Of each partition. */
const mostRecords = 20

/** Reads the newest records as a gateway would, to find a wrong format or schema before readers do. */
export async function decodeNewest(
  queue: Queue,
  { adoption, description }: { readonly adoption: Adoption; readonly description: TopicDescription },
  context: FormatContext,
): Promise<DecodedRecords> {
  const { name: topic, id: topicId, partitions } = description
  const format = createTopicFormat(adoption, context)
  const renderer = format.createRenderer()
  const foreign = hideOwnHeaders(queue, () => true)
  const reasons: string[] = []
  let read = 0
  for (const [partition, { earliest: from, end: to }] of partitions.entries()) {
    const records = await newestOf(readBackward(foreign, { topic, topicId, partition, from, to }))
    await format.prepare?.(records)
    read += records.length
    for (const record of records) {
      const json = Buffer.from(withCursor(renderer.render(record), '')).toString()
      const { error } = JSON.parse(json) as { readonly error?: { readonly message: string } }
      if (error) reasons.push(error.message)
    }
  }
  const [reason] = reasons
  return { read, failed: reasons.length, ...(reason !== undefined && { reason }) }
}

async function newestOf(newestFirst: AsyncIterable<readonly QueueRecord[]>): Promise<QueueRecord[]> {
  const found: QueueRecord[] = []
  for await (const records of newestFirst) {
    found.push(...records)
    if (found.length >= mostRecords) break
  }
  return found.slice(0, mostRecords)
}
