import {
  type Checkpoint,
  createFieldFilter,
  createRecordRenderer,
  type EarlierForm,
  type FieldFilter,
  fileSchema,
  type Project,
  type RecordRenderer,
  type ResolvedTopics,
  readRegistry,
  resolveTopics,
  type Settings,
  schemaVersions,
  type TopicRegistration,
  topicRegistrations,
} from '@headrace/catalog'
import type { TopicPartition } from '@headrace/queue'
import type { Schema } from '../connector/schema.ts'
import type { RunOptions } from '../runtime/run-options.ts'
import { type MessageTopic, messageTopics } from '../runtime/start/message-topic.ts'
import type { Audit } from './audit.ts'
import type { VerifyFinding } from './finding.ts'
import type { StoredCheckpoints } from './stored-checkpoints.ts'

export interface KnownTopic extends MessageTopic {
  readonly message: string
  readonly render: RecordRenderer['render']
  formOf(unit: number): RecordForm
  /** GUIDs of all schemas that the topic has had. */
  readonly schemas: ReadonlySet<string>
}

/** How a record is read, by the schema and the manifest that were registered when it was published. */
export interface RecordForm extends Pick<MessageTopic, 'readKey' | 'readTime'> {
  /** Keeps the fields that both that schema and the present one have. */
  readonly filter?: FieldFilter
}

export interface PartitionToVerify extends TopicPartition, PartitionEnd {
  readonly from: bigint
  /** It may be after the last stable offset. */
  readonly upTo: bigint
  /** Absent for a topic of earlier settings or of an earlier manifest. */
  readonly known: KnownTopic | undefined
  readonly hasRetention: boolean
  /** Partitions of the topic by the checkpoint. */
  readonly count: number
}

interface PartitionEnd {
  readonly nextSeq: number | undefined
  /** The next seq in the newest checkpoint and in its copy in the ring. A difference is reported as a finding. */
  readonly counted: readonly number[]
  readonly lastUnit: number
}

/**
 * Finds every topic that has, or had, records of an instance. Missing or unexpected topics and partitions are reported.
 */
export async function partitionsToVerify(
  { queue, stored, report }: Pick<Audit, 'queue' | 'stored' | 'report'>,
  { connector, project, settings }: Pick<RunOptions, 'connector' | 'project' | 'settings'>,
  instance: ResolvedTopics,
): Promise<PartitionToVerify[]> {
  const { checkpoint } = stored
  const topics = knownTopics(connector.schema, project, instance, await readRegistry(queue))
  const retained = topicsWithRetention(project, settings, instance)
  const names = new Set([...topics.keys(), ...Object.keys(checkpoint?.nextSeq ?? {})])
  const found: PartitionToVerify[] = []
  for (const topic of names) {
    const [description] = await queue.describe([topic])
    const known = topics.get(topic)
    const count = checkpoint?.nextSeq[topic]?.length ?? known?.partitions ?? 0
    if (!description) {
      const message = 'The newest checkpoint names the topic, but it does not exist.'
      if (needsTopic(checkpoint, topic, topics)) await report({ code: 'topic_missing', message, topic })
      continue
    }
    for (const finding of otherPartitions(topic, description.partitions.length, count)) await report(finding)
    const partitions = description.partitions.slice(0, count).map(async ({ earliest: from }, partition) => {
      const upTo = await queue.highWatermark(topic, partition)
      const hasRetention = retained.has(topic)
      return { topic, partition, from, upTo, known, hasRetention, count, ...endOf(stored, topic, partition) }
    })
    found.push(...(await Promise.all(partitions)))
  }
  return found
}

/** A run creates its topics before a checkpoint names them. An empty topic that was switched off may be missing. */
function needsTopic(checkpoint: Checkpoint | undefined, topic: string, known: ReadonlyMap<string, unknown>): boolean {
  const nextSeq = checkpoint?.nextSeq[topic]
  return nextSeq !== undefined && (known.has(topic) || nextSeq.some((seq) => seq > 0))
}

function otherPartitions(topic: string, found: number, expected: number): VerifyFinding[] {
  const [fewer, more] = [Math.min(found, expected), Math.max(found, expected)]
  const code = found < expected ? 'partition_missing' : 'partition_unexpected'
  const what = found < expected ? 'is missing' : 'is unexpected'
  return Array.from({ length: more - fewer }, (_, index) => ({
    code,
    message: `The topic has ${found} partitions, and ${expected} by the checkpoint: this one ${what}.`,
    ...{ topic, partition: fewer + index, expected, found },
  }))
}

/** The newest checkpoint and its copy may differ, which is a finding of its own. Then the higher counts apply. */
function endOf(stored: StoredCheckpoints, topic: string, partition: number): PartitionEnd {
  const both = [stored.newest, stored.highest].filter((one) => one !== undefined)
  if (both.length === 0) return { nextSeq: undefined, counted: [], lastUnit: Number.POSITIVE_INFINITY }
  const counted = both.map(({ nextSeq }) => nextSeq[topic]?.[partition] ?? 0)
  return { nextSeq: Math.max(...counted), counted, lastUnit: Math.max(...both.map(({ unit }) => unit)) }
}

/** Including topics that the settings switch off. */
function topicsWithRetention(project: Project, settings: Settings, { instance }: ResolvedTopics): ReadonlySet<string> {
  const all = project.manifest.topics.map(({ when: _, ...topic }) => topic)
  const everything = resolveTopics({ ...project, manifest: { ...project.manifest, topics: all } }, settings, instance)
  return new Set(everything.topics.filter(({ retention }) => retention !== 'forever').map(({ name }) => name))
}

function knownTopics(
  schema: Schema,
  project: Project,
  { instance, topics }: ResolvedTopics,
  registered: ReadonlyMap<string, TopicRegistration>,
): ReadonlyMap<string, KnownTopic> {
  const registrations = topicRegistrations(project, instance, topics)
  return new Map(
    [...messageTopics(schema, project, topics)].map(([message, topic]) => {
      const { render } = createRecordRenderer(registrations.find((one) => one.topic === topic.topic)!)
      const registration = registered.get(topic.topic)
      const formOf = createForms(project, topic, registration?.earlier ?? [])
      const earlier = registration ? schemaVersions(registration) : []
      const schemas = new Set([...earlier, fileSchema(topic.descriptor.file).guid])
      return [topic.topic, { ...topic, message, render, formOf, schemas }]
    }),
  )
}

function createForms(
  { schema }: Project,
  { codec: { name }, readKey, readTime }: MessageTopic,
  earlier: readonly EarlierForm[],
): KnownTopic['formOf'] {
  const present: RecordForm = { readKey, readTime }
  const forms = earlier.map(({ lastUnit = Number.POSITIVE_INFINITY, key, time, fields }) => ({
    lastUnit,
    // A key or a time can only have been added since.
    readKey: key === undefined ? undefined : readKey,
    readTime: time === undefined ? undefined : readTime,
    filter: createFieldFilter(schema, name, fields),
  }))
  return (unit) => forms.find(({ lastUnit }) => unit <= lastUnit) ?? present
}

/** In ms; `undefined` where the message has none or cannot be decoded. */
export function messageTime(topic: KnownTopic | undefined, unit: number, value: Uint8Array | null): number | undefined {
  const readTime = topic?.formOf(unit).readTime
  if (!readTime || value === null) return undefined
  try {
    const time = readTime(value)
    return time === undefined ? undefined : Math.trunc(time)
  } catch {
    return undefined
  }
}
