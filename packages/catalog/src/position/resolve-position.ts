import { type Queue, type TopicDescription, UserError } from '@headrace/queue'
import { readCheckpoint } from '../checkpoint/checkpoint.ts'
import type { Cursor, CursorTopic, PartitionPlace } from './cursor.ts'
import { findLast, findSeq } from './find-record.ts'
import type { Position } from './parse-position.ts'
import { resolveCursor } from './resolve-cursor.ts'
import { tellLoss } from './tell-loss.ts'

/** Where to read on in each partition of a topic, in order of their number. */
export interface ResolvedPosition {
  readonly partitions: readonly PartitionPlace[]
  /** Of a cursor of the canonical view: the head as of which it reads, in each partition. */
  readonly asOf?: readonly PartitionPlace[]
}

export interface ResolvePositionOptions {
  /**
   * The writer of the topic, `<lineage>/<instance>`: its checkpoint says what is final, and how many records there have
   * been where none is left. Needed for `final`.
   */
  readonly writerId?: string
}

/**
 * Finds where a position lies in a topic as it was described.
 *
 * `last` reaches back over all partitions together, in order of time and partition. `final` is the earliest record as long as nothing is final.
 *
 * @throws {PositionUnavailableError} lost to retention, the topic was created anew, or the next record is not the one
 *   that the cursor expects.
 * @throws {UserError} `invalid_cursor`: the cursor is of other topics. `invalid_position`: `final` of a topic of which
 *   no writer is known.
 */
export async function resolvePosition(
  queue: Queue,
  topic: TopicDescription,
  position: Position,
  options: ResolvePositionOptions = {},
): Promise<ResolvedPosition> {
  const partitions = await tellLoss(topic, resolvePartitions(queue, topic, position, options))
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
        // What has come since is not in the topic as it was described.
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

/** The places before the last `count` records of all partitions together. */
async function findLastOfAll(queue: Queue, topic: TopicDescription, count: number): Promise<PartitionPlace[]> {
  const found = await Promise.all(topic.partitions.map((_, partition) => findLast(queue, topic, partition, count)))
  const left = found.map((records) => records.length)
  for (let taken = 0; taken < count; taken++) {
    let newest: number | undefined
    for (const [partition, records] of found.entries()) {
      const record = records[left[partition]! - 1]
      if (record && (newest === undefined || record.time >= found[newest]![left[newest]! - 1]!.time)) newest = partition
    }
    if (newest === undefined) break
    left[newest]!--
  }
  return topic.partitions.map(({ end }, partition) => {
    const first = found[partition]![left[partition]!]
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
      `"final" is not known for "${topic.name}": no connector has registered it. Use another position.`,
    )
  const checkpoint = await readCheckpoint(queue, writerId)
  return checkpoint?.final?.nextSeq[topic.name]
}

function otherTopics(topic: string): UserError {
  return new UserError(
    'invalid_cursor',
    `This cursor is of other topics than "${topic}". Use one that this topic gave.`,
  )
}
