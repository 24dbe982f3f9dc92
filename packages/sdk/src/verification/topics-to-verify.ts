import {
  type Checkpoint,
  createRecordRenderer,
  type Project,
  type RecordRenderer,
  type ResolvedTopics,
  topicRegistrations,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { Schema } from '../connector/schema.ts'
import { type MessageTopic, messageTopics } from '../runtime/start/message-topic.ts'
import type { Report } from './finding.ts'
import type { PartitionToVerify } from './place-records.ts'

/** A topic whose messages the connector knows. */
export interface KnownTopic extends MessageTopic {
  /** Short name of its message. */
  readonly message: string
  readonly render: RecordRenderer['render']
}

export interface TopicToVerify {
  /** Left out for a topic that the instance once had: its settings or its manifest were others. */
  readonly known: KnownTopic | undefined
  readonly partitions: readonly PartitionToVerify[]
}

export interface TopicsOptions {
  readonly queue: Queue
  readonly schema: Schema
  readonly project: Project
  readonly instance: ResolvedTopics
  readonly checkpoint: Checkpoint | undefined
  readonly report: Report
}

/** Finds every topic that has, or has had, records of an instance, and where they end at this moment. */
export async function topicsToVerify(options: TopicsOptions): Promise<TopicToVerify[]> {
  const { queue, schema, project, instance, checkpoint, report } = options
  const known = knownTopics(schema, project, instance)
  const names = new Set([...known.keys(), ...Object.keys(checkpoint?.nextSeq ?? {})])
  const found: TopicToVerify[] = []
  for (const topic of names) {
    const [description] = await queue.describe([topic])
    if (!description) {
      if (checkpoint?.nextSeq[topic]?.some((seq) => seq > 0)) await report(missing(topic))
      continue
    }
    const lastUnit = checkpoint?.unit ?? Number.POSITIVE_INFINITY
    const partitions = description.partitions.map(async ({ earliest: from }, partition) => {
      const upTo = await queue.highWatermark(topic, partition)
      return { topic, partition, from, upTo, lastUnit, end: endOf(checkpoint, topic, partition) }
    })
    found.push({ known: known.get(topic), partitions: await Promise.all(partitions) })
  }
  return found
}

function endOf(checkpoint: Checkpoint | undefined, topic: string, partition: number): PartitionToVerify['end'] {
  const [seq, time] = [checkpoint?.nextSeq[topic]?.[partition], checkpoint?.time[topic]?.[partition]]
  return checkpoint && { seq, unit: undefined, time }
}

/** By full name, in the order in which the messages of a unit are mostly published. */
function knownTopics(
  schema: Schema,
  project: Project,
  { instance, topics }: ResolvedTopics,
): ReadonlyMap<string, KnownTopic> {
  const registrations = topicRegistrations(project, instance, topics)
  return new Map(
    [...messageTopics(schema, project, topics)].map(([message, topic]) => {
      const { render } = createRecordRenderer(registrations.find((one) => one.topic === topic.topic)!)
      return [topic.topic, { ...topic, message, render }]
    }),
  )
}

function missing(topic: string): Parameters<Report>[0] {
  return {
    code: 'topic_missing',
    message: 'By the newest checkpoint it has records, and there is no such topic.',
    topic,
  }
}
