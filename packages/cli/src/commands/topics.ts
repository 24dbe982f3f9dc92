import {
  findLast,
  findSeq,
  hideOwnHeaders,
  isAdopted,
  readContents,
  type TopicContent,
  type TopicRegistration,
} from '@headrace/catalog'
import { HeadraceError, type OffsetRange, type Queue, type QueueRecord, type TopicDescription } from '@headrace/queue'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample, addQueueAction } from '../output/result.ts'
import { formatAge, formatFacts, formatTable, type Table } from '../output/table.ts'
import { openTopic } from '../reading/open-topic.ts'
import { readBackward, readForward } from '../reading/partition-records.ts'

export function addTopicsCommands(program: Command, context: CommandContext): void {
  const topics = program.command('topics').description('list or describe the topics of a queue')
  addListCommand(topics, context)
  addDescribeCommand(topics, context)
}

function addListCommand(topics: Command, context: CommandContext): void {
  const command = topics
    .command('list')
    .description('list the registered topics of a queue, with the number of records and the age of the newest one')
  addQueueAction(command, 'print one JSON object per line', context, async function* (queue) {
    const contents = await readContents(queue)
    const descriptions = await queue.describe(contents.values().map(({ topic }) => topic))
    const list = await Promise.all(
      descriptions.map((description) => summarize(queue, contents.get(description.name)!, description)),
    )
    if (list.length === 0) context.warn('The queue has no topics: no connector has run with it yet.')
    yield { json: () => list, text: () => topicTable(list) }
  })
  addExample(command, 'connector topics list --queue kafka://localhost:9092')
}

type TopicSummary = Awaited<ReturnType<typeof summarize>>

async function summarize(queue: Queue, content: TopicContent, description: TopicDescription) {
  const { topic, message = null } = content
  const { format, connector, instance, successor } = factsOf(content)
  const bounds = description.partitions.map(({ earliest, end }) => ({ earliest: `${earliest}`, end: `${end}` }))
  const { records, newest } = await readTopicContents(
    isAdopted(content) ? hideOwnHeaders(queue, () => true) : queue,
    description,
  )
  return {
    ...{ topic, format, message, connector, instance, partitions: bounds, records },
    newest: newest === null ? null : new Date(newest).toISOString(),
    ...(successor && { successor }),
  }
}

/** Other programs write an adopted topic. */
function factsOf(content: TopicContent) {
  if (!isAdopted(content)) return { ...content, format: 'protobuf' as const }
  return {
    format: content.format,
    connector: null,
    instance: null,
    successor: undefined,
    key: undefined,
    time: undefined,
  }
}

export interface TopicContents {
  /** Unknown if another program wrote them, which sets no sequence numbers. */
  readonly records: number | null
  readonly newest: number | null
}

/** `position_lost`: retention has removed records since the topic was described. */
const unknownFor = new Set(['permission_denied', 'position_lost'])

export async function readTopicContents(queue: Queue, topic: TopicDescription): Promise<TopicContents> {
  try {
    const all = await Promise.all(topic.partitions.map((_, partition) => readPartition(queue, topic, partition)))
    const times = all.flatMap(({ newest }) => newest ?? [])
    return {
      records: all.some(({ records }) => records === null) ? null : all.reduce((sum, one) => sum + one.records!, 0),
      newest: times.length > 0 ? Math.max(...times) : null,
    }
  } catch (error) {
    if (error instanceof HeadraceError && unknownFor.has(error.code)) return { records: null, newest: null }
    throw error
  }
}

async function readPartition(queue: Queue, topic: TopicDescription, partition: number): Promise<TopicContents> {
  const [last] = await findLast(queue, topic, partition, 1)
  if (!last) return { records: 0, newest: null }
  const first = await findSeq(queue, topic, partition, 0)
  const isCounted = last.seq !== null && first.seq !== null
  return { records: isCounted ? last.seq - first.seq + 1 : null, newest: last.time }
}

function topicTable(list: readonly TopicSummary[]): Table {
  const rows = list.map(({ topic, format, message, connector, records, newest, successor = '' }) => [
    ...[topic, message ?? `(${format})`, nameOf(connector), `${records ?? '–'}`],
    ...[newest === null ? '–' : formatAge(Date.parse(newest)), successor],
  ])
  return [['TOPIC', 'MESSAGE', 'CONNECTOR', 'RECORDS', 'NEWEST', 'SUCCESSOR'], ...rows]
}

function nameOf(connector: TopicRegistration['connector'] | null): string {
  return connector === null ? 'none (adopted)' : `${connector.owner}/${connector.package} ${connector.version}`
}

function addDescribeCommand(topics: Command, context: CommandContext): void {
  const command = topics
    .command('describe')
    .description('show the writer, the contents and the schema of a topic')
    .argument('<topic>', 'full name, e.g. headrace.evm.1_0_0.ethereum_Block')
  addQueueAction(command, 'print a JSON object', context, async function* (queue, topic: string) {
    const facts = await describeTopic(queue, topic, context)
    yield { json: () => [facts], text: () => formatTopic(facts) }
  })
  addExample(command, 'connector topics describe headrace.evm.1_0_0.ethereum_Block')
}

type TopicFacts = Awaited<ReturnType<typeof describeTopic>>

async function describeTopic(opened: Queue, topic: string, { environment }: CommandContext) {
  const { queue, content, format: read, description, writerId } = await openTopic(opened, topic, environment)
  const { format, connector, instance, successor = null, key = null, time = null } = factsOf(content)
  const { readCheckpoints } = await import('@headrace/sdk')
  const newest = writerId === undefined ? undefined : (await readCheckpoints(queue, writerId)).newest
  const partitions: Awaited<ReturnType<typeof describePartition>>[] = []
  for (const [partition, { earliest, end }] of description.partitions.entries()) {
    const range = { topic, topicId: description.id, partition, from: earliest, to: end }
    partitions.push(await describePartition(queue, range))
  }
  const { proto = null, avro, jsonSchema } = read.describe()
  return {
    ...{ topic, format, message: content.message ?? null, key, time, bytes: content.bytes },
    ...{ connector, instance, writer: writerId ?? null, successor },
    checkpoint: newest ? { unit: `${newest.unit}`, position: newest.position } : null,
    partitions,
    ...{ proto, ...(avro !== undefined && { avro }), ...(proto === null && { jsonSchema }) },
  }
}

async function describePartition(queue: Queue, range: OffsetRange) {
  const [oldest, newest] = [await firstTime(readForward(queue, range)), await firstTime(readBackward(queue, range))]
  return { partition: range.partition, earliest: `${range.from}`, end: `${range.to}`, oldest, newest }
}

async function firstTime(records: AsyncIterable<readonly QueueRecord[]>): Promise<string | null> {
  for await (const [record] of records) if (record) return new Date(record.time).toISOString()
  return null
}

function formatTopic(facts: TopicFacts): string {
  const { topic, format, message, key, time, bytes, connector, writer, successor, checkpoint, partitions } = facts
  const isForeign = writer === null
  const text = formatFacts({
    topic,
    ...(isForeign && { format }),
    message: message ?? 'none',
    key: key ?? (isForeign ? 'that of the record' : 'none'),
    time: time ?? (isForeign ? 'that of the record' : 'that of the unit'),
    bytes,
    connector: nameOf(connector),
    writer: writer ?? 'other programs',
    successor: successor ?? 'none',
    checkpoint: checkpoint ? `unit ${checkpoint.unit}, ${JSON.stringify(checkpoint.position)}` : 'none',
  })
  const rows = partitions.map((one) => [
    ...[`${one.partition}`, one.earliest, one.end, one.oldest ?? '–', one.newest ?? '–'],
  ])
  const table = formatTable([['PARTITION', 'EARLIEST', 'END', 'OLDEST', 'NEWEST'], ...rows])
  return [text, table, schemaText(facts)].join('\n')
}

function schemaText({ proto, avro, jsonSchema }: TopicFacts): string {
  return proto ?? `${avro ?? JSON.stringify(jsonSchema, null, 2)}\n`
}
