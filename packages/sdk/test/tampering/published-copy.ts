import {
  type Checkpoint,
  checkpointPartition,
  createSystemTopics,
  encodeAt,
  encodeCheckpoint,
  encodeReverts,
  readRecordHeaders,
  readReorganisation,
  systemTopics,
} from '@headrace/catalog'
import { type Header, type NewRecord, type Queue, type QueueRecord, readRange, type TopicSpec } from '@headrace/queue'
import type { TestProject } from '@headrace/sdk/testing'

/** A record of a data topic, with parsed headers. */
export interface CopiedRecord {
  /** Short name of its message. */
  readonly message: string
  readonly partition: number
  readonly seq: number
  readonly unit: number
  readonly reverts?: number | undefined
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
  readonly time: number
  readonly error?: string | undefined
  /** Replaces the header with seq and unit; `null`: no header. */
  readonly at?: Uint8Array | null
  /** A revert without the header `reverts`. */
  readonly isBlank?: true
}

/** A reverted interval and the key of its record. */
export interface CopiedInterval {
  readonly message: string
  readonly partition: number
  readonly first: number
  readonly last: number
  readonly unit: number
  /** Default: its own first seq. */
  readonly key?: number
  readonly raw?: string
}

/** A checkpoint and its slot in the ring, which the newest one does not have. */
export interface CopiedCheckpoint {
  readonly place: number | undefined
  readonly checkpoint: Checkpoint
  readonly raw?: string
}

/** Everything that a project has published, in the order of each partition. */
export interface PublishedCopy {
  readonly records: readonly CopiedRecord[]
  readonly intervals: readonly CopiedInterval[]
  readonly checkpoints: readonly CopiedCheckpoint[]
  /** Message → number of partitions of its topic; 0: it is not created. Default: as in the manifest. */
  readonly partitions?: Readonly<Record<string, number>>
  /** In other system topics. */
  readonly others?: readonly NewRecord[]
}

/** Reads everything that a project has published. */
export async function readCopy({ queue, instance }: TestProject): Promise<PublishedCopy> {
  const messageOf = new Map(instance.topics.map(({ name, message }) => [name, shortName(message)]))
  const records: CopiedRecord[] = []
  for (const [name, message] of messageOf) {
    for await (const { partition, key, value, time, headers } of readAll(queue, name)) {
      const { seq, unit, reverts, error } = readRecordHeaders(headers)
      records.push({ ...{ message, partition, seq: seq!, unit: unit!, reverts, error, key, value, time } })
    }
  }
  const intervals: CopiedInterval[] = []
  for await (const record of readAll(queue, systemTopics.reorgs)) {
    const { topic, ...interval } = readReorganisation(record)!
    const message = messageOf.get(topic)
    if (message) intervals.push({ message, ...interval })
  }
  const checkpoints: CopiedCheckpoint[] = []
  for await (const { key, value } of readAll(queue, systemTopics.checkpoints)) {
    const [, name, place] = /^(.*?\/[^/]*)(?:\/(\d+))?$/.exec(Buffer.from(key!).toString())!
    if (name !== instance.writerId) continue
    const checkpoint = JSON.parse(Buffer.from(value!).toString()) as Checkpoint
    checkpoints.push({ place: place === undefined ? undefined : Number(place), checkpoint })
  }
  const newest = checkpoints.findLast(({ place }) => place === undefined)!
  return { records, intervals, checkpoints: [...checkpoints.filter(({ place }) => place !== undefined), newest] }
}

/** A copy with the names of another instance. */
export interface CopyOf {
  readonly instance: TestProject['instance']
  readonly copy: PublishedCopy
}

/** Publishes copies as other instances, concurrently because commits are slow. */
export async function writeCopies(queue: Queue, copies: readonly CopyOf[]): Promise<void> {
  await createSystemTopics(queue)
  await queue.createTopics(copies.flatMap(topicsOf))
  await queue.append(copies.flatMap(sentRecords))
}

const shortName = (message: string) => message.split('.').at(-1)!

function topicsOf({ instance, copy }: CopyOf): TopicSpec[] {
  return instance.topics
    .map(({ name, message, partitions }) => ({ name, partitions: copy.partitions?.[shortName(message)] ?? partitions }))
    .filter(({ partitions }) => partitions > 0)
}

function sentRecords({ instance: { writerId, topics }, copy }: CopyOf): NewRecord[] {
  const topicOf = (message: string) => topics.find((topic) => shortName(topic.message) === message)!.name
  const partition = checkpointPartition(writerId)
  const data = copy.records.map((record): NewRecord => {
    const { message, partition, key, value, time } = record
    return { topic: topicOf(message), partition, key, value, time, headers: headersOf(record) }
  })
  const intervals = copy.intervals.map(({ message, key, raw, ...interval }): NewRecord => {
    const topic = topicOf(message)
    const text = `${topic}/${interval.partition}/${key ?? interval.first}`
    const value = Buffer.from(raw ?? JSON.stringify({ topic, ...interval }))
    return { topic: systemTopics.reorgs, partition, key: Buffer.from(text), value, time: Date.now() }
  })
  const renamed = (byTopic: Readonly<Record<string, readonly number[]>>) =>
    Object.fromEntries(Object.entries(byTopic).map(([topic, value]) => [topicOf(topic.split('_').at(-1)!), value]))
  const checkpoints = copy.checkpoints.map(({ place, checkpoint, raw }): NewRecord => {
    const { nextSeq, time, final } = checkpoint
    const own = { ...checkpoint, nextSeq: renamed(nextSeq), time: renamed(time) }
    const json = encodeCheckpoint({ ...own, final: final && { ...final, nextSeq: renamed(final.nextSeq) } })
    const key = Buffer.from(place === undefined ? writerId : `${writerId}/${place}`)
    const value = raw ? Buffer.from(raw) : json
    return { topic: systemTopics.checkpoints, partition, key, value, time: Date.now() }
  })
  return [...data, ...intervals, ...checkpoints, ...(copy.others ?? [])]
}

function headersOf({ seq, unit, reverts, at, error, isBlank }: CopiedRecord): Header[] {
  const own = at === undefined ? encodeAt(unit, seq) : at
  return [
    ...(own ? [{ key: 'at', value: own }] : []),
    ...(reverts === undefined && !isBlank ? [] : [{ key: 'op', value: Buffer.from('revert') }]),
    ...(reverts === undefined ? [] : [{ key: 'reverts', value: encodeReverts(reverts) }]),
    ...(error === undefined ? [] : [{ key: 'error', value: Buffer.from(error) }]),
  ]
}

async function* readAll(queue: Queue, topic: string): AsyncGenerator<QueueRecord> {
  const [description] = await queue.describe([topic])
  for (const [partition, { earliest }] of description!.partitions.entries()) {
    const range = { topic, partition, from: earliest, to: await queue.highWatermark(topic, partition) }
    for await (const batch of readRange(queue, range)) yield* batch.records()
  }
}
