import {
  checkpointRingKey,
  createRecordRenderer,
  decodeCheckpoint,
  readReorganisation,
  systemTopics,
  topicRegistrations,
} from '@headrace/catalog'
import { partitionForKey, type Queue } from '@headrace/queue'
import type { Schema } from '../connector/schema.ts'
import type { Unit } from '../connector/unit.ts'
import { type MessageTopic, messageTopics } from '../runtime/start/message-topic.ts'
import { MessageWriter } from '../wire/message-writer.ts'
import { type PublishedRecord, publishedRecord, readTopic } from './published-record.ts'
import { canonicalUnits } from './read-units.ts'
import { assertEqual, replayRecords } from './replay-records.ts'
import type { TestProject } from './test-project.ts'

/**
 * Asserts that the topics of a project hold exactly the records of these units, and that readers can verify it: seqs,
 * unit numbers, times, reverts, `_headrace.reorgs` and checkpoints. Retention must have removed nothing. Units may have
 * been published and reverted before.
 *
 * @throws {AssertionError} with the difference.
 */
export async function assertPublished<S extends Schema, C>(
  project: TestProject,
  schema: S,
  units: Iterable<Unit<S, C>>,
): Promise<void> {
  const canonical = canonicalUnits(units as Iterable<Unit<Schema, unknown>>)
  const revertedSeqs = await readRevertedSeqs(project.queue)
  const topics = await Promise.all(
    expectedRecords(project, schema, canonical).map(async (expected) => ({
      expected,
      partitions: await replayTopic(project, expected, revertedSeqs),
    })),
  )
  const numbers = topics.flatMap(({ partitions }) => partitions.flat().map(({ unit }) => unit))
  const ordinals = new Map(
    [...new Set(numbers)].sort((one, other) => one! - other!).map((unit, index) => [unit, index]),
  )
  for (const { expected, partitions } of topics) {
    const shown = partitions.map((records) =>
      records.map(({ unit, key, value }) => ({ unit: ordinals.get(unit), key, value })),
    )
    assertEqual(shown, expected.partitions, `The records of "${expected.message}" are not those of the units.`)
  }
  await assertCheckpoints(project, canonical.at(-1)?.checkpoint)
}

async function replayTopic(
  { instance, records }: TestProject,
  { message, partitions }: ExpectedTopic,
  revertedSeqs: RevertedSeqsOf,
): Promise<PublishedRecord[][]> {
  const topic = instance.topics.find((one) => one.message === message)!.name
  const byPartition = Map.groupBy(await records(message), ({ partition }) => partition)
  return Promise.all(
    partitions.map(async (_, partition) => {
      const ofPartition = byPartition.get(partition) ?? []
      const canonical = replayRecords(ofPartition)
      const alive = new Set(canonical.map(({ seq }) => seq))
      const reverted = ofPartition.map(({ seq }) => seq).filter((seq) => !alive.has(seq))
      const published = revertedSeqs(topic, partition)
      assertEqual(
        published,
        reverted,
        `The reverted records of "${message}" in partition ${partition} are not those in "_headrace.reorgs".`,
      )
      return canonical
    }),
  )
}

async function assertCheckpoints({ queue, instance, storedCheckpoint }: TestProject, position: unknown): Promise<void> {
  const newest = await storedCheckpoint()
  const committed: number[] = []
  for await (const { key, value } of readTopic(queue, systemTopics.checkpoints)) {
    // A shared queue holds checkpoints of other writers.
    const isOwn = Buffer.from(key ?? [])
      .toString()
      .startsWith(`${instance.writerId}/`)
    if (!key || !value || !isOwn) continue
    const { unit } = decodeCheckpoint(value)
    if (Buffer.compare(key, checkpointRingKey(instance.writerId, unit)) === 0) committed.push(unit)
  }
  const wanted = Array.from({ length: newest?.unit ?? 0 }, (_, index) => index + 1)
  assertEqual(committed, wanted, 'Unit numbers were skipped or committed twice.')
  // JSON omits what is undefined.
  const stored: unknown = position === undefined ? undefined : JSON.parse(JSON.stringify(position))
  assertEqual(newest?.position, stored, 'The newest checkpoint is not that of the last unit.')
}

type RevertedSeqsOf = (topic: string, partition: number) => number[]

/** Of all topics at once, because there can be hundreds. */
async function readRevertedSeqs(queue: Queue): Promise<RevertedSeqsOf> {
  const newest = new Map<string, NonNullable<ReturnType<typeof readReorganisation>>>()
  for await (const record of readTopic(queue, systemTopics.reorgs)) {
    const interval = readReorganisation(record)
    if (interval) newest.set(Buffer.from(record.key!).toString(), interval)
  }
  const byPartition = Map.groupBy(newest.values(), ({ topic, partition }) => `${topic}/${partition}`)
  return (topic, partition) => {
    const reverted = new Set<number>()
    for (const { first, last } of byPartition.get(`${topic}/${partition}`) ?? [])
      for (let seq = first; seq <= last; seq++) reverted.add(seq)
    return [...reverted].sort((one, other) => one - other)
  }
}

/** `unit` counts from 0, over the units that have records. */
interface ExpectedRecord {
  readonly unit: number
  readonly key: string | null
  readonly value: unknown
}

interface ExpectedTopic {
  readonly message: string
  readonly partitions: readonly (readonly ExpectedRecord[])[]
}

function expectedRecords(
  { project, instance }: TestProject,
  schema: Schema,
  units: readonly Unit<Schema, unknown>[],
): ExpectedTopic[] {
  const registrations = topicRegistrations(project, instance.instance, instance.topics)
  const full = units.filter(({ messages = {} }) => Object.values(messages).some((list) => list && list.length > 0))
  return [...messageTopics(schema, project, instance.topics)].map(([name, topic]) => {
    const { render } = createRecordRenderer(registrations.find((one) => one.topic === topic.topic)!)
    const partitions = Array.from({ length: topic.partitions }, (): ExpectedRecord[] => [])
    for (const [unit, { messages }] of full.entries()) {
      for (const message of messages?.[name] ?? []) {
        const { key, value, partition } = encode(topic, message)
        const record = { topic: topic.topic, partition, offset: 0n, time: 0, key, value, headers: [] }
        const shown = publishedRecord(record, render)
        partitions[partition]!.push({ unit, key: shown.key, value: shown.value })
      }
    }
    return { message: topic.codec.name, partitions }
  })
}

interface EncodedMessage {
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
  readonly partition: number
}

function encode({ codec, readKey, partitions }: MessageTopic, message: unknown): EncodedMessage {
  const writer = new MessageWriter()
  try {
    codec.encode(message, writer.codecWriter)
    const value = writer.take()
    const key = readKey?.(value) ?? null
    return { key, value, partition: partitions > 1 && key ? partitionForKey(key, partitions) : 0 }
  } catch {
    return { key: null, value: null, partition: 0 }
  }
}
