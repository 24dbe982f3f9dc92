import type { PartitionOffset, Queue, QueueRecord, TopicDescription } from '@headrace/queue'
import { readRecordHeaders } from '../record-header/record-header.ts'
import type { PartitionPlace } from './cursor.ts'

export interface FoundRecord {
  readonly offset: bigint
  readonly seq: number | null
  readonly time: number
}

/** Finds the first record at or after an offset; `undefined` at the head. Reads no more than it must. */
export async function findRecord(queue: Queue, at: PartitionOffset): Promise<FoundRecord | undefined> {
  for (let { offset } = at; ; ) {
    const { batches, next, end } = await queue.read({ ...at, offset }, { maxBytes: 1 })
    for (const batch of batches)
      for (const record of batch.records()) if (record.offset >= at.offset) return toFound(record)
    if (next >= end) return undefined
    offset = next
  }
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

/** The last `count` records of a partition as it was described, or as many as there are, oldest first. */
export async function findLast(
  queue: Queue,
  topic: TopicDescription,
  partition: number,
  count: number,
): Promise<readonly FoundRecord[]> {
  const { earliest, end } = topic.partitions[partition]!
  for (let window = BigInt(count); ; window *= 2n) {
    const offset = end - window > earliest ? end - window : earliest
    const at = { topic: topic.name, topicId: topic.id, partition, offset }
    const records = await readLast(queue, at, end, count)
    if (records.length === count || offset === earliest) return records
  }
}

/** The last `count` records between two offsets, or as many as there are. */
async function readLast(queue: Queue, from: PartitionOffset, end: bigint, count: number): Promise<FoundRecord[]> {
  let found: FoundRecord[] = []
  for (let { offset } = from; offset < end; ) {
    const { batches, next } = await queue.read({ ...from, offset }, { maxBytes: 1 << 20 })
    for (const batch of batches)
      for (const record of batch.records()) if (record.offset < end) found.push(toFound(record))
    if (found.length > count) found = found.slice(-count)
    if (next === offset) break
    offset = next
  }
  return found
}

function toFound({ offset, time, headers }: QueueRecord): FoundRecord {
  return { offset, seq: readRecordHeaders(headers).seq ?? null, time }
}
