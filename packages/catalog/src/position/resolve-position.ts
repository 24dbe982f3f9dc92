import { PositionLostError, type Queue, readRange, type TopicDescription, UserError } from '@headrace/queue'
import { readCheckpoint } from '../checkpoint/checkpoint.ts'
import { readRecordHeaders } from '../record-header/record-header.ts'
import type { CursorTopic, PartitionPlace, ResolvedPosition } from './cursor.ts'
import { findLast, findRecord, findSeq } from './find-record.ts'
import type { Position } from './parse-position.ts'
import { convertPositionLoss, unavailable } from './position-unavailable.ts'

export interface ResolvePositionOptions {
  /** `<lineage>/<instance>`. Required for `final`. */
  readonly writerId?: string
}

/**
 * `last` counts over all partitions, by time and then by partition. `final` is the earliest record while nothing is
 * final.
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
      if (!from) throw otherTopics(topic.name)
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

function otherTopics(topic: string): UserError {
  return new UserError(
    'invalid_cursor',
    `This cursor does not contain the topic "${topic}". Use a cursor that was received for it.`,
  )
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
    const check = createPlaceCheck(target, partition)
    // A log that was truncated before `head` no longer has the reverts that `asOf` relies on.
    if (head && head !== place) await check(head)
    return place ? check(place) : earliestOf(partition)
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

type PlaceCheck = (place: PartitionPlace) => Promise<PartitionPlace>

/**
 * Retention may have removed only offsets without a record, such as transaction markers: then the earliest record has
 * the expected seq.
 */
function createPlaceCheck({ queue, topic, writerId }: Target, partition: number): PlaceCheck {
  const at = (offset: bigint) => ({ topic: topic.name, topicId: topic.id, partition, offset })

  async function checkPlace(place: PartitionPlace): Promise<PartitionPlace> {
    try {
      const record = await findRecord(queue, at(place.offset))
      if (place.seq !== null && record && record.seq !== place.seq)
        throw new PositionLostError(at(place.offset), topic.partitions[partition]!, 'truncated')
      return place
    } catch (error) {
      if (place.seq === null || !(error instanceof PositionLostError && error.wasRemoved)) throw error
      return checkEarliest(place.seq, error)
    }
  }

  async function checkEarliest(seq: number, removed: PositionLostError): Promise<PartitionPlace> {
    const { earliest } = removed
    const record = await findRecord(queue, at(earliest))
    const next = record ? record.seq : await nextSeq(earliest)
    if (next !== seq) throw removed
    return { offset: earliest, seq }
  }

  async function nextSeq(earliest: bigint): Promise<number | null | undefined> {
    const checkpoint = writerId === undefined ? undefined : await readCheckpoint(queue, writerId)
    // Records that were committed before the checkpoint was read may become visible after it.
    const to = await queue.highWatermark(topic.name, partition)
    for await (const batch of readRange(queue, { ...at(earliest), from: earliest, to }))
      for (const { headers } of batch.records()) return readRecordHeaders(headers).seq ?? null
    return checkpoint?.nextSeq[topic.name]?.[partition]
  }

  return checkPlace
}
