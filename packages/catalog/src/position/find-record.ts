import {
  type PartitionOffset,
  type Queue,
  type QueueRecord,
  readRange,
  type TopicDescription,
  UnknownTopicError,
} from '@headrace/queue'
import { readRecordHeaders } from '../record-header/record-header.ts'
import type { PartitionPlace } from './cursor.ts'

export interface FoundRecord {
  readonly offset: bigint
  readonly seq: number | null
  /** `null` for a record that a foreign producer wrote. */
  readonly unit: number | null
  readonly time: number
}

/** The first record at or after an offset; `undefined` at the head. */
export async function findRecord(queue: Queue, at: PartitionOffset): Promise<FoundRecord | undefined> {
  const { batches } = await queue.read(at, { maxBytes: 1 })
  for (const batch of batches) for (const record of batch.records()) return toFound(record)
  return undefined
}

/**
 * Finds the place of a seq in a partition, or of the first record after it; the end if there is none.
 *
 * A record takes at least one offset, so a jump by the number of missing seqs never goes too far. Offsets without a
 * record make jumps too short, so several may be needed.
 */
export async function findSeq(
  queue: Queue,
  topic: TopicDescription,
  partition: number,
  seq: number,
): Promise<PartitionPlace> {
  const { earliest, end } = topic.partitions[partition]!
  for (let offset = earliest; ; ) {
    const record = await findRecord(queue, { topic: topic.name, topicId: topic.id, partition, offset })
    if (!record) return { offset: end, seq: null }
    if (record.seq === null || record.seq >= seq) return { offset: record.offset, seq: record.seq }
    offset = record.offset + BigInt(seq - record.seq)
    // Records may have been appended after `topic` was read, so the seq at its end is unknown.
    if (offset >= end) return { offset: end, seq: null }
  }
}

/**
 * The last `count` records of a partition up to its described end, or fewer if it has fewer, oldest first.
 *
 * @throws {PositionLostError} retention has removed records since the topic was described.
 */
export async function findLast(
  queue: Queue,
  topic: TopicDescription,
  partition: number,
  count: number,
): Promise<readonly FoundRecord[]> {
  const { earliest, end } = topic.partitions[partition]!
  const range = { topic: topic.name, topicId: topic.id, partition, from: earliest, to: end }
  const firstWindow = BigInt(Math.max(count, fewOffsets))
  const found: FoundRecord[] = []
  for await (const batch of readRange(queue, range, { order: 'desc', firstWindow })) {
    found.push(...[...batch.records()].reverse().map(toFound))
    if (found.length >= count) break
  }
  return found.slice(0, count).reverse()
}

/** Enough to include records if the last offsets of a partition are transaction markers. */
const fewOffsets = 16

function toFound({ offset, time, headers }: QueueRecord): FoundRecord {
  const { seq = null, unit = null } = readRecordHeaders(headers)
  return { offset, seq, unit, time }
}

/**
 * The end of a partition, with the seq that comes next there.
 *
 * @param newestFirst - Records before the end, in lists that may be empty. Reading stops at the first record.
 */
export async function findHead<Found>(
  end: bigint,
  newestFirst: AsyncIterable<readonly Found[]>,
  seqOf: (record: Found) => number | null,
): Promise<PartitionPlace> {
  for await (const [last] of newestFirst) {
    if (last === undefined) continue
    const seq = seqOf(last)
    return { offset: end, seq: seq === null ? null : seq + 1 }
  }
  return { offset: end, seq: null }
}

/** Whether a topic has or had records. False for a topic that is deleted during the call. */
export async function hasHadRecords(queue: Queue, { name, partitions }: TopicDescription): Promise<boolean> {
  try {
    for (const [partition, { earliest, end }] of partitions.entries()) {
      if (end === 0n) continue
      if (earliest > 0n || (await findRecord(queue, { topic: name, partition, offset: earliest }))) return true
    }
  } catch (error) {
    if (!(error instanceof UnknownTopicError)) throw error
  }
  return false
}
