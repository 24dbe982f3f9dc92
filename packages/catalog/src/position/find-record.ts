import { type PartitionOffset, type Queue, type QueueRecord, readRange, type TopicDescription } from '@headrace/queue'
import { readRecordHeaders } from '../record-header/record-header.ts'
import type { PartitionPlace } from './cursor.ts'

export interface FoundRecord {
  readonly offset: bigint
  readonly seq: number | null
  /** Number of its unit; `null` where the record is not of this project. */
  readonly unit: number | null
  readonly time: number
}

/** Finds the first record at or after an offset; `undefined` at the head. Reads no more than it must. */
export async function findRecord(queue: Queue, at: PartitionOffset): Promise<FoundRecord | undefined> {
  const { batches } = await queue.read(at, { maxBytes: 1 })
  for (const batch of batches) for (const record of batch.records()) return toFound(record)
  return undefined
}

/**
 * Finds the place of a seq in a partition, or of the first record after it that is kept; the end where there is none.
 *
 * A record takes at least one offset, so a jump by as many offsets as seqs are missing never goes too far. Offsets that
 * hold no record make the jumps fall short: each time by the share of such offsets.
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
    // Records may have come since the topic was described: which one lies at its end is not known.
    if (offset >= end) return { offset: end, seq: null }
  }
}

/**
 * The last `count` records of a partition as it was described, or as many as there are, oldest first.
 *
 * @throws {PositionLostError} records that were there when it was described have been removed.
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

/** The end of a partition holds transaction markers, which are offsets without a record. */
const fewOffsets = 16

function toFound({ offset, time, headers }: QueueRecord): FoundRecord {
  const { seq = null, unit = null } = readRecordHeaders(headers)
  return { offset, seq, unit, time }
}
