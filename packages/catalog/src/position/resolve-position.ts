import {
  type PartitionOffset,
  PositionLostError,
  type Queue,
  readRange,
  type TopicDescription,
  UserError,
} from '@headrace/queue'
import { readCheckpoint } from '../checkpoint/checkpoint.ts'
import { readRecordHeaders } from '../record-header/record-header.ts'
import type { CursorTopic, PartitionPlace, ResolvedPosition } from './cursor.ts'
import { findLast, findRecord, findSeq } from './find-record.ts'
import type { Position } from './parse-position.ts'
import { convertPositionLoss, unavailable } from './position-unavailable.ts'

export interface ResolvePositionOptions {
  /** `<lineage>/<instance>`. Required for `final`. */
  readonly writerId?: string | undefined
}

/**
 * `last` counts over all partitions, by time, then by partition. If nothing is final, `final` is the earliest record.
 *
 * @throws {PositionUnavailableError} the records at the position no longer exist.
 * @throws {UserError} `invalid_cursor`: the cursor is of other topics. `invalid_position`: `final` without a writer.
 */
export async function resolvePosition(
  queue: Queue,
  topic: TopicDescription,
  position: Position,
  { writerId }: ResolvePositionOptions = {},
): Promise<ResolvedPosition> {
  const from = position.kind === 'cursor' ? position.cursor.topics.find((one) => one.topic === topic.name) : undefined
  const partitions = await convertPositionLoss(topic, resolvePartitions({ queue, topic, writerId }, position, from))
  const { asOf } = from ?? {}
  return asOf ? { partitions, asOf: partitions.map((place, partition) => asOf[partition] ?? place) } : { partitions }
}

interface Target {
  readonly queue: Queue
  readonly topic: TopicDescription
  readonly writerId: string | undefined
}

/** @param from - The entry of the topic in the cursor of `position`. */
async function resolvePartitions(target: Target, position: Position, from?: CursorTopic): Promise<PartitionPlace[]> {
  const { queue, topic } = target
  switch (position.kind) {
    case 'earliest':
      return topic.partitions.map(({ earliest }) => ({ offset: earliest, seq: null }))
    case 'latest':
      return topic.partitions.map(({ end }) => ({ offset: end, seq: null }))
    case 'time':
      return Promise.all(
        topic.partitions.map(async ({ end }, partition) => {
          const offset = await queue.offsetForTime(topic.name, partition, position.time)
          // Records appended after the description are not part of it.
          return { offset: offset !== undefined && offset < end ? offset : end, seq: null }
        }),
      )
    case 'last':
      return findLastOfAll(target, position.count)
    case 'final': {
      const seqs = await readFinalSeqs(target)
      return Promise.all(
        topic.partitions.map((_, partition) => findSeq(queue, topic, partition, seqs?.[partition] ?? 0)),
      )
    }
    case 'cursor':
      if (!from)
        throw new UserError(
          'invalid_cursor',
          `This cursor does not contain the topic "${topic.name}". Use a cursor that was received for it.`,
        )
      return resolveCursor(target, from)
  }
}

async function findLastOfAll({ queue, topic }: Target, count: number): Promise<PartitionPlace[]> {
  const found = await Promise.all(topic.partitions.map((_, partition) => findLast(queue, topic, partition, count)))
  const remaining = found.map((records) => records.length)
  for (let taken = 0; taken < count; taken++) {
    let newest: number | undefined
    for (const [partition, records] of found.entries()) {
      const record = records[remaining[partition]! - 1]
      if (record && (newest === undefined || record.time >= found[newest]![remaining[newest]! - 1]!.time))
        newest = partition
    }
    if (newest === undefined) break
    remaining[newest]!--
  }
  return topic.partitions.map(({ end }, partition) => {
    const first = found[partition]![remaining[partition]!]
    return first ? { offset: first.offset, seq: first.seq } : { offset: end, seq: null }
  })
}

async function readFinalSeqs({ queue, topic, writerId }: Target): Promise<readonly number[] | undefined> {
  if (writerId === undefined)
    throw new UserError(
      'invalid_position',
      `"final" is unknown for "${topic.name}", because no connector has registered this topic. Use another position.`,
    )
  const checkpoint = await readCheckpoint(queue, writerId)
  return checkpoint?.final?.nextSeq[topic.name]
}

/** Checks that the record at each place is the expected one. */
async function resolveCursor(target: Target, cursor: CursorTopic): Promise<PartitionPlace[]> {
  const { topic } = target
  if (cursor.id !== topic.id) throw unavailable(topic, 'recreated')
  const found = await Promise.allSettled(topic.partitions.map((_, partition) => resolvePartition(partition)))
  const failures = found.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  const failure = failures.find((error) => !(error instanceof PositionLostError)) ?? failures[0]
  const places = found.map((one, partition) =>
    one.status === 'fulfilled' ? one.value : placeAfterLoss(partition, one.reason),
  )
  if (failure === undefined) return places
  return convertPositionLoss(topic, Promise.reject(failure), { ...cursor, partitions: places })

  async function resolvePartition(partition: number): Promise<PartitionPlace> {
    const [place, head] = [cursor.partitions[partition], cursor.asOf?.[partition]]
    // A log that was truncated before `head` no longer has the reverts that `asOf` relies on.
    if (head && head !== place) await checkPlace(target, partition, head)
    return place ? checkPlace(target, partition, place) : earliestOf(partition)
  }

  /** `topic` was described before the loss. */
  function placeAfterLoss(partition: number, error: unknown): PartitionPlace {
    const isRemoved = error instanceof PositionLostError && error.wasRemoved
    return isRemoved ? { offset: error.earliest, seq: null } : earliestOf(partition)
  }

  function earliestOf(partition: number): PartitionPlace {
    return { offset: topic.partitions[partition]!.earliest, seq: null }
  }
}

/** If retention removed only offsets without a record, such as transaction markers, the earliest record has the seq. */
async function checkPlace(target: Target, partition: number, place: PartitionPlace): Promise<PartitionPlace> {
  const { id, name, partitions } = target.topic
  const at = { topic: name, topicId: id, partition, offset: place.offset }
  const bounds = partitions[partition]!
  try {
    // A queue may keep what it has read before.
    if (place.offset < bounds.earliest) throw new PositionLostError(at, bounds)
    const record = await findRecord(target.queue, at)
    if (place.seq !== null && record && record.seq !== place.seq) throw new PositionLostError(at, bounds, 'truncated')
    return place
  } catch (error) {
    if (place.seq === null || !(error instanceof PositionLostError && error.wasRemoved)) throw error
    const { earliest } = error
    if ((await nextSeq(target, { ...at, offset: earliest })) !== place.seq) throw error
    return { offset: earliest, seq: place.seq }
  }
}

/** From an offset on; `null` if a foreign producer wrote the record there. */
async function nextSeq({ queue, writerId }: Target, at: PartitionOffset): Promise<number | null | undefined> {
  const record = await findRecord(queue, at)
  if (record) return record.seq
  const { topic, partition, offset } = at
  const checkpoint = writerId === undefined ? undefined : await readCheckpoint(queue, writerId)
  // Records that were committed before the checkpoint was read may become visible after it.
  const to = await queue.highWatermark(topic, partition)
  for await (const batch of readRange(queue, { ...at, from: offset, to }))
    for (const { headers } of batch.records()) return readRecordHeaders(headers).seq ?? null
  return checkpoint?.nextSeq[topic]?.[partition]
}
