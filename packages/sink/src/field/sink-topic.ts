import { RefusedError } from '@headrace/client'
import { UserError } from '@headrace/queue'
import type { SinkTopic } from '../destination/destination.ts'
import type { SinkClient } from '../running/read-batches.ts'
import { topicFields } from './topic-fields.ts'

export interface DescribedTopic {
  readonly topic: SinkTopic
  readonly earliestCursor: string
  readonly headCursor: string
}

/** @throws {UserError} the topic does not exist, or the key may not read it. */
export async function describeTopic(client: SinkClient, name: string, signal: AbortSignal): Promise<DescribedTopic> {
  const described = await client.topic(name, { signal }).catch((error) => {
    throw error instanceof RefusedError ? new UserError(error.code, `Topic "${name}": ${error.message}`) : error
  })
  const { key, partitions, earliestCursor, headCursor } = described
  const topic = { topic: name, partitions, fields: topicFields(described), ...(key !== undefined && { key }) }
  return { topic, earliestCursor, headCursor }
}
