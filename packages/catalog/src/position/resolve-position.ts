import { type Queue, type TopicDescription, UserError } from '@headrace/queue'
import { readCheckpoint } from '../checkpoint/checkpoint.ts'
import type { Cursor, CursorTopic, PartitionPlace, ResolvedPosition } from './cursor.ts'
import { findLast, findSeq } from './find-record.ts'
import type { Position } from './parse-position.ts'
import { convertPositionLoss } from './position-unavailable.ts'
import { resolveCursor } from './resolve-cursor.ts'

export interface ResolvePositionOptions {
  /**
   * `<lineage>/<instance>`, whose checkpoint has the final seqs, and the next seq of an empty partition. Required for
   * `final`.
   */
  readonly writerId?: string
}

/**
 * Resolves a position in a topic as it was described. `last` counts over all partitions, by time and then by partition.
 * `final` is the earliest record while nothing is final.
 *
 * @throws {PositionUnavailableError} the records at the position no longer exist.
 * @throws {UserError} `invalid_cursor`: the cursor is of other topics. `invalid_position`: `final` without a writer.
 */
export async function resolvePosition(
  queue: Queue,
  topic: TopicDescription,
  position: Position,
  options: ResolvePositionOptions = {},
): Promise<ResolvedPosition> {
  const partitions = await convertPositionLoss(topic, resolvePartitions(queue, topic, position, options))
  const asOf = position.kind === 'cursor' && entryOf(position.cursor, topic.name)?.asOf
  return asOf ? { partitions, asOf: partitions.map((place, partition) => asOf[partition] ?? place) } : { partitions }
}

async function resolvePartitions(
  queue: Queue,
  topic: TopicDescription,
  position: Position,
  options: ResolvePositionOptions,
): Promise<PartitionPlace[]> {
  const resolve = await createResolver(queue, topic, position, options)
  return Promise.all(topic.partitions.map((_, partition) => resolve(partition)))
}

type Resolver = (partition: number) => PartitionPlace | Promise<PartitionPlace>

async function createResolver(
  queue: Queue,
  topic: TopicDescription,
  position: Position,
  options: ResolvePositionOptions,
): Promise<Resolver> {
  const earliest: Resolver = (partition) => ({ offset: topic.partitions[partition]!.earliest, seq: null })
  const latest: Resolver = (partition) => ({ offset: topic.partitions[partition]!.end, seq: null })
  switch (position.kind) {
    case 'earliest':
      return earliest
    case 'latest':
      return latest
    case 'time':
      return async (partition) => {
        const offset = await queue.offsetForTime(topic.name, partition, position.time)
        // Records appended after the description are not part of it.
        const isDescribed = offset !== undefined && offset < topic.partitions[partition]!.end
        return isDescribed ? { offset, seq: null } : latest(partition)
      }
    case 'last': {
      const places = await findLastOfAll(queue, topic, position.count)
      return (partition) => places[partition]!
    }
    case 'final': {
      const seqs = await readFinalSeqs(queue, topic, options.writerId)
      return (partition) => findSeq(queue, topic, partition, seqs?.[partition] ?? 0)
    }
    case 'cursor': {
      const from = entryOf(position.cursor, topic.name)
      if (!from) throw otherTopics(topic.name)
      const places = await resolveCursor(queue, topic, from, options)
      return (partition) => places[partition]!
    }
  }
}

function entryOf(cursor: Cursor, topic: string): CursorTopic | undefined {
  return cursor.topics.find((entry) => entry.topic === topic)
}

async function findLastOfAll(queue: Queue, topic: TopicDescription, count: number): Promise<PartitionPlace[]> {
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

async function readFinalSeqs(
  queue: Queue,
  topic: TopicDescription,
  writerId: string | undefined,
): Promise<readonly number[] | undefined> {
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
