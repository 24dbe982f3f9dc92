import { checkpointRingKey, decodeCheckpoint, systemTopics } from '@headrace/catalog'
import type { Schema } from '../connector/schema.ts'
import type { Unit } from '../connector/unit.ts'
import { assertEqual } from './assert-equal.ts'
import { type DeadSeqsOf, readDeadSeqs } from './dead-seqs.ts'
import { type ExpectedTopic, expectedRecords } from './expected-records.ts'
import type { PublishedRecord } from './published-record.ts'
import { readTopic } from './read-topic.ts'
import { replayRecords } from './replay-records.ts'
import { standingUnits } from './standing-units.ts'
import type { TestProject } from './test-project.ts'

/**
 * Asserts that the topics of a project hold exactly what units leave, each once and whole, and that a reader can know it.
 *
 * - What stands, when the records are replayed, is what the units say that none of them has taken back: each message with
 *   its key in its partition, in order, those of one unit under one unit number, which differs from the others'.
 * - Seqs have no holes, times do not go back, and each revert takes back the newest record that stands, and equals it.
 * - `_headrace.reorgs` tells of every record that is dead, and of no other.
 * - Every unit number from 1 on was committed once, in order, and the newest checkpoint is the last unit's.
 *
 * Retention must have removed nothing. How often a unit was published and taken back again does not matter.
 *
 * @throws {AssertionError} with the difference.
 */
export async function assertPublished<S extends Schema, C>(
  project: TestProject,
  schema: S,
  units: Iterable<Unit<S, C>>,
): Promise<void> {
  const standing = standingUnits(units as Iterable<Unit<Schema, unknown>>)
  const deadSeqs = await readDeadSeqs(project.queue)
  const topics = await Promise.all(
    expectedRecords(project, schema, standing).map(async (expected) => ({
      expected,
      partitions: await replayTopic(project, expected, deadSeqs),
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
  await assertCheckpoints(project, standing.at(-1)?.checkpoint)
}

/** The records that stand, by partition. */
async function replayTopic(
  { instance, records }: TestProject,
  { message, partitions }: ExpectedTopic,
  deadSeqs: DeadSeqsOf,
): Promise<PublishedRecord[][]> {
  const topic = instance.topics.find((one) => one.message === message)!.name
  const published = Map.groupBy(await records(message), ({ partition }) => partition)
  return Promise.all(
    partitions.map(async (_, partition) => {
      const ofPartition = published.get(partition) ?? []
      const standing = replayRecords(ofPartition)
      const alive = new Set(standing.map(({ seq }) => seq))
      const dead = ofPartition.map(({ seq }) => seq).filter((seq) => !alive.has(seq))
      const told = deadSeqs(topic, partition)
      assertEqual(told, dead, `The dead records of "${message}" in partition ${partition} are not those told of.`)
      return standing
    }),
  )
}

async function assertCheckpoints({ queue, instance, storedCheckpoint }: TestProject, position: unknown): Promise<void> {
  const newest = await storedCheckpoint()
  const committed: number[] = []
  for await (const { key, value } of readTopic(queue, systemTopics.checkpoints)) {
    // In a shared queue there are checkpoints of others too.
    const isOwn = Buffer.from(key ?? [])
      .toString()
      .startsWith(`${instance.writerId}/`)
    if (!key || !value || !isOwn) continue
    const { unit } = decodeCheckpoint(value)
    if (Buffer.compare(key, checkpointRingKey(instance.writerId, unit)) === 0) committed.push(unit)
  }
  const wanted = Array.from({ length: newest?.unit ?? 0 }, (_, index) => index + 1)
  assertEqual(committed, wanted, 'The unit numbers that were committed have holes, or were committed twice.')
  // As it is stored: JSON leaves out what is undefined.
  const stored: unknown = position === undefined ? undefined : JSON.parse(JSON.stringify(position))
  assertEqual(newest?.position, stored, 'The newest checkpoint is not that of the last unit.')
}
