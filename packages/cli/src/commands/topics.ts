import {
  findLast,
  findSeq,
  formatProto,
  readRegistry,
  schemaFromDescriptors,
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
    const registrations = await readRegistry(queue)
    const descriptions = await queue.describe([...registrations.keys()])
    const list = await Promise.all(
      descriptions.map((description) => summarize(queue, registrations.get(description.name)!, description)),
    )
    if (list.length === 0) context.warn('The queue has no topics: no connector has run with it yet.')
    yield { json: () => list, text: () => topicTable(list) }
  })
  addExample(command, 'connector topics list --queue kafka://localhost:9092')
}

type TopicSummary = Awaited<ReturnType<typeof summarize>>

async function summarize(queue: Queue, registration: TopicRegistration, description: TopicDescription) {
  const { topic, message, connector, instance, successor } = registration
  const bounds = description.partitions.map(({ earliest, end }) => ({ earliest: `${earliest}`, end: `${end}` }))
  const { records, newest } = await readTopicContents(queue, description)
  return {
    ...{ topic, message, connector, instance, partitions: bounds, records },
    newest: newest === null ? null : new Date(newest).toISOString(),
    ...(successor && { successor }),
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
  const rows = list.map(({ topic, message, connector, records, newest, successor = '' }) => [
    ...[topic, message, nameOf(connector), `${records ?? '–'}`],
    ...[newest === null ? '–' : formatAge(Date.parse(newest)), successor],
  ])
  return [['TOPIC', 'MESSAGE', 'CONNECTOR', 'RECORDS', 'NEWEST', 'SUCCESSOR'], ...rows]
}

function nameOf({ owner, package: name, version }: TopicRegistration['connector']): string {
  return `${owner}/${name} ${version}`
}

function addDescribeCommand(topics: Command, context: CommandContext): void {
  const command = topics
    .command('describe')
    .description('show the writer, the contents and the schema of a topic')
    .argument('<topic>', 'full name, e.g. headrace.evm.1_0_0.ethereum_Block')
  addQueueAction(command, 'print a JSON object', context, async function* (queue, topic: string) {
    const facts = await describeTopic(queue, topic)
    yield { json: () => [facts], text: () => formatTopic(facts) }
  })
  addExample(command, 'connector topics describe headrace.evm.1_0_0.ethereum_Block')
}

type TopicFacts = Awaited<ReturnType<typeof describeTopic>>

async function describeTopic(queue: Queue, topic: string) {
  const { registration, description, writerId } = await openTopic(queue, topic)
  const { connector, instance, message, key = null, time = null, bytes, successor = null, descriptors } = registration
  const { readCheckpoints } = await import('@headrace/sdk')
  const { newest } = await readCheckpoints(queue, writerId)
  const partitions: Awaited<ReturnType<typeof describePartition>>[] = []
  for (const [partition, { earliest, end }] of description.partitions.entries()) {
    const range = { topic, topicId: description.id, partition, from: earliest, to: end }
    partitions.push(await describePartition(queue, range))
  }
  const type = schemaFromDescriptors(descriptors).message(message)
  return {
    ...{ topic, message, key, time, bytes, connector, instance, writer: writerId, successor },
    checkpoint: newest ? { unit: `${newest.unit}`, position: newest.position } : null,
    partitions,
    proto: type ? formatProto(type) : null,
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
  const { topic, message, key, time, bytes, connector, writer, successor, checkpoint, partitions, proto } = facts
  const text = formatFacts({
    topic,
    message,
    key: key ?? 'none',
    time: time ?? 'that of the unit',
    bytes,
    connector: nameOf(connector),
    writer,
    successor: successor ?? 'none',
    checkpoint: checkpoint ? `unit ${checkpoint.unit}, ${JSON.stringify(checkpoint.position)}` : 'none',
  })
  const rows = partitions.map((one) => [
    ...[`${one.partition}`, one.earliest, one.end, one.oldest ?? '–', one.newest ?? '–'],
  ])
  const table = formatTable([['PARTITION', 'EARLIEST', 'END', 'OLDEST', 'NEWEST'], ...rows])
  return [text, table, proto ?? 'The registered schema does not contain the message.\n'].join('\n')
}
