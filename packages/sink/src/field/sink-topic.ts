import type { Topic } from '@headrace/client'
import type { SinkTopic } from '../destination/destination.ts'
import { topicFields } from './topic-fields.ts'

export function sinkTopic(described: Topic): SinkTopic {
  const { topic, key, partitions } = described
  return { topic, partitions, fields: topicFields(described), ...(key !== undefined && { key }) }
}
