import {
  checkpointRingKey,
  createRecordRenderer,
  decodeCheckpoint,
  readReorganisation,
  systemTopics,
  topicRegistrations,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { AnyUnit } from '../connector/connector.ts'
import type { Schema } from '../connector/schema.ts'
import { keyAndValue, messageTopics, partitionOf } from '../runtime/start/message-topic.ts'
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
  units: Iterable<AnyUnit<S, C>>,
): Promise<void> {
  const canonical = canonicalUnits(units as Iterable<AnyUnit>)
  const reverted = await readRevertedSeqs(project.queue)
  const topics = await Promise.all(
    expectedTopics(project, schema, canonical).map(async (expected) => ({
      ...expected,
      published: await replayTopic(project, expected, reverted),
    })),
  )
  const numbers = new Set(topics.flatMap(({ published }) => published.flat().map(({ unit }) => unit!)))
  const ordinals = new Map([...numbers].sort((one, other) => one - other).map((unit, index) => [unit, index]))
  for (const { message, partitions, published } of topics) {
    const shown = published.map((records) =>
      records.map(({ unit, key, value }) => ({ unit: ordinals.get(unit!), key, value })),
    )
    assertEqual(shown, partitions, `The records of "${message}" are not those of the units.`)
  }
  await assertCheckpoints(project, canonical.at(-1)?.checkpoint)
}

/** `unit` counts from 0, over the units that have records. */
type ExpectedRecord = Pick<PublishedRecord, 'key' | 'value'> & { readonly unit: number }

interface ExpectedTopic {
  readonly topic: string
  readonly message: string
  readonly partitions: readonly (readonly ExpectedRecord[])[]
}

function expectedTopics(
  { project, instance }: TestProject,
  schema: Schema,
  units: readonly AnyUnit[],
): ExpectedTopic[] {
  const registrations = topicRegistrations(project, instance.instance, instance.topics)
  const full = units.filter(({ messages = {} }) => Object.values(messages).some((list) => list && list.length > 0))
  const writer = new MessageWriter()
  return [...messageTopics(schema, project, instance.topics)].map(([name, messageTopic]) => {
    const { topic, codec } = messageTopic
    const { render } = createRecordRenderer(registrations.find((one) => one.topic === topic)!)
    const partitions = Array.from({ length: messageTopic.partitions }, (): ExpectedRecord[] => [])
    for (const [unit, { messages }] of full.entries()) {
      for (const message of messages?.[name] ?? []) {
        const encoded = keyAndValue(messageTopic, message, writer)
        const partition = partitionOf(messageTopic, encoded.key)
        const record = { topic, partition, offset: 0n, time: 0, headers: [], ...encoded }
        const { key, value } = publishedRecord(record, render)
        partitions[partition]!.push({ unit, key, value })
      }
    }
    return { topic, message: codec.name, partitions }
  })
}

async function replayTopic(
  { records }: TestProject,
  { topic, message, partitions }: ExpectedTopic,
  reverted: ReadonlyMap<string, ReadonlySet<number>>,
): Promise<PublishedRecord[][]> {
  const byPartition = Map.groupBy(await records(message), ({ partition }) => partition)
  return partitions.map((_, partition) => {
    const published = byPartition.get(partition) ?? []
    const canonical = replayRecords(published)
    const canonicalSeqs = new Set(canonical.map(({ seq }) => seq))
    assertEqual(
      [...(reverted.get(`${topic}/${partition}`) ?? [])].sort((one, other) => one - other),
      published.map(({ seq }) => seq).filter((seq) => !canonicalSeqs.has(seq)),
      `The reverted records of "${message}" in partition ${partition} are not those in "_headrace.reorgs".`,
    )
    return canonical
  })
}

/** Reads those of all topics at once, because there can be hundreds. By `<topic>/<partition>`. */
async function readRevertedSeqs(queue: Queue): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const newest = new Map<string, NonNullable<ReturnType<typeof readReorganisation>>>()
  for await (const record of readTopic(queue, systemTopics.reorgs)) {
    const interval = readReorganisation(record)
    if (interval) newest.set(Buffer.from(record.key!).toString(), interval)
  }
  const reverted = new Map<string, Set<number>>()
  for (const { topic, partition, first, last } of newest.values()) {
    const seqs = reverted.get(`${topic}/${partition}`) ?? new Set()
    reverted.set(`${topic}/${partition}`, seqs)
    for (let seq = first; seq <= last; seq++) seqs.add(seq)
  }
  return reverted
}

async function assertCheckpoints({ queue, instance, storedCheckpoint }: TestProject, position: unknown): Promise<void> {
  const { writerId } = instance
  const newest = await storedCheckpoint()
  const committed: number[] = []
  for await (const { key, value } of readTopic(queue, systemTopics.checkpoints)) {
    // A shared queue holds checkpoints of other writers.
    if (!key || !value || !Buffer.from(key).toString().startsWith(`${writerId}/`)) continue
    const { unit } = decodeCheckpoint(value)
    if (Buffer.compare(key, checkpointRingKey(writerId, unit)) === 0) committed.push(unit)
  }
  const wanted = Array.from({ length: newest?.unit ?? 0 }, (_, index) => index + 1)
  assertEqual(committed, wanted, 'Unit numbers were skipped or committed twice.')
  // JSON omits what is undefined.
  const stored: unknown = position === undefined ? undefined : JSON.parse(JSON.stringify(position))
  assertEqual(newest?.position, stored, 'The newest checkpoint is not that of the last unit.')
}
