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
  /** `null` if a foreign producer wrote the record. */
  readonly unit: number | null
  readonly time: number
}

/** `undefined` at the head. */
export async function findRecord(queue: Queue, at: PartitionOffset): Promise<FoundRecord | undefined> {
  const { batches } = await queue.read(at, { maxBytes: 1 })
  for (const batch of batches) for (const record of batch.records()) return toFound(record)
  return undefined
}

/**
 * The place of this seq or a later one; the end if there is none. A jump by the number of missing seqs never goes too
 * far, because a record takes at least one offset.
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
    // Records may have been appended since, so the seq at the end is unknown.
    if (offset >= end) return { offset: end, seq: null }
  }
}

/**
 * Up to the described end of the partition, oldest first.
 *
 * @throws {PositionLostError}
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

/** The last offsets may be transaction markers. */
const fewOffsets = 16

function toFound({ offset, time, headers }: QueueRecord): FoundRecord {
  const { seq = null, unit = null } = readRecordHeaders(headers)
  return { offset, seq, unit, time }
}

/** @param newestFirst - Lists may be empty. */
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
