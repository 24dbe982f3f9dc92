import { randomUUID } from 'node:crypto'
import { type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  checkpointPartition,
  decodeCheckpoint,
  encodeAt,
  encodeCheckpoint,
  encodeReverts,
  headerKeys,
  readRecordHeaders,
  readReorganisation,
  systemTopics,
} from '@headrace/catalog'
import type { Header, Queue, QueueRecord } from '@headrace/queue'
import type { TestProject } from '@headrace/sdk/testing'

/** A record of a data topic, with its headers apart. */
export interface CopiedRecord {
  readonly message: string
  readonly seq: number
  readonly unit: number
  readonly reverts?: number | undefined
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
  readonly time: number
  /** Replaces the header with seq and unit. */
  readonly at?: Uint8Array
}

type Checkpoint = ReturnType<typeof decodeCheckpoint>
type Interval = NonNullable<ReturnType<typeof readReorganisation>>

export interface PublishedCopy {
  readonly records: readonly CopiedRecord[]
  readonly intervals: readonly Interval[]
  /** By key, without the writer's id. */
  readonly checkpoints: readonly { readonly ringPlace: string; readonly checkpoint: Checkpoint }[]
}

export async function readCopy({ queue, instance }: TestProject): Promise<PublishedCopy> {
  const records: CopiedRecord[] = []
  for (const { name, message } of instance.topics) {
    for await (const record of readAll(queue, name)) {
      const { seq, unit, reverts } = readRecordHeaders(record.headers)
      const { key, value, time } = record
      records.push({ message: message.split('.').at(-1)!, seq: seq!, unit: unit!, reverts, key, value, time })
    }
  }
  const names = new Set(instance.topics.map(({ name }) => name))
  const intervals: Interval[] = []
  for await (const record of readAll(queue, systemTopics.reorgs)) {
    const interval = readReorganisation(record)
    if (interval && names.has(interval.topic)) intervals.push(interval)
  }
  const checkpoints = []
  for await (const { key, value } of readAll(queue, systemTopics.checkpoints)) {
    const text = Buffer.from(key ?? []).toString()
    const isOwn = text === instance.writerId || text.startsWith(`${instance.writerId}/`)
    if (isOwn && value)
      checkpoints.push({ ringPlace: text.slice(instance.writerId.length), checkpoint: decodeCheckpoint(value) })
  }
  return { records, intervals, checkpoints }
}

export type Edit = (record: CopiedRecord, fields: object) => CopiedRecord

export function editOf({ project }: TestProject): Edit {
  return (record, fields) => {
    const type = project.schema.message(`headrace.evm.${record.message}`) as DescMessage
    return { ...record, value: toBinary(type, Object.assign(fromBinary(type, record.value!), fields)) }
  }
}

/** Publishes a copy as another instance, in one transaction. */
export async function writeCopy({ queue, instance }: TestProject, copy: PublishedCopy): Promise<void> {
  await queue.createTopics(instance.topics.map(({ name }) => ({ name })))
  const topicOf = (name: string) =>
    instance.topics.find(({ message }) => message.endsWith(`.${name.split('_').at(-1)}`))!.name
  const { writerId } = instance
  const partition = checkpointPartition(writerId)
  const writer = await queue.openWriter({ id: writerId, claim: randomUUID() })
  const transaction = writer.begin()
  for (const { message, key, value, time, ...at } of copy.records)
    transaction.send({ topic: topicOf(message), key, value, time, headers: headersOf(at) })
  for (const interval of copy.intervals) {
    const topic = topicOf(interval.topic)
    const key = Buffer.from(`${topic}/0/${interval.first}`)
    const value = Buffer.from(JSON.stringify({ ...interval, topic }))
    transaction.send({ topic: systemTopics.reorgs, partition, key, value, time: Date.now() })
  }
  const renamed = (byTopic: Checkpoint['nextSeq']) =>
    Object.fromEntries(Object.entries(byTopic).map(([topic, numbers]) => [topicOf(topic), numbers]))
  for (const { ringPlace, checkpoint } of copy.checkpoints) {
    const { nextSeq, time, final } = checkpoint
    const moved = { ...checkpoint, nextSeq: renamed(nextSeq), time: renamed(time) }
    const value = encodeCheckpoint({ ...moved, final: final && { ...final, nextSeq: renamed(final.nextSeq) } })
    const key = Buffer.from(`${writerId}${ringPlace}`)
    transaction.send({ topic: systemTopics.checkpoints, partition, key, value, time: Date.now() })
  }
  await transaction.commit()
  await writer.close()
}

function headersOf(record: Pick<CopiedRecord, 'seq' | 'unit' | 'reverts' | 'at'>): Header[] {
  const { seq, unit, reverts } = record
  const at = { key: headerKeys.at, value: record.at ?? encodeAt(unit, seq) }
  if (reverts === undefined) return [at]
  return [
    at,
    { key: headerKeys.op, value: Buffer.from('revert') },
    { key: headerKeys.reverts, value: encodeReverts(reverts) },
  ]
}

async function* readAll(queue: Queue, topic: string): AsyncGenerator<QueueRecord> {
  const [description] = await queue.describe([topic])
  for (const [partition, { earliest, end }] of description!.partitions.entries()) {
    for (let offset = earliest; offset < end; ) {
      const { batches, next } = await queue.read({ topic, partition, offset }, { maxBytes: 1 << 20 })
      for (const batch of batches) yield* batch.records()
      offset = next
    }
  }
}
