import { randomUUID } from 'node:crypto'
import { checksumIn, createBatchBytes } from '../storage/batch-bytes.ts'
import { batchKey, endKey } from '../storage/batch-key.ts'
import { type BatchRow, createBatchRows } from '../storage/batch-rows.ts'
import { anyKey, keyBitsOf } from '../storage/key-bits.ts'
import type { Storage } from '../storage/storage.ts'
import { createTopicRows } from '../storage/topic-rows.ts'
import type { Partition } from '../storage/topics.ts'
import { createWriterRows } from '../storage/writer-rows.ts'
import { attempt } from './attempt.ts'
import type { LostRange } from './lost-records.ts'
import { type KnownPartition, knownPartitions } from './partition-rows.ts'
import { readableIds } from './readable-ids.ts'
import { createStoredBatches, type FoundBatch } from './stored-batches.ts'

/**
 * Copies what can be trusted of a damaged queue into an empty one, and returns every range of offsets that is lost:
 *
 * - Topics are copied as they are. A topic gets a new id where the end of one of its partitions is not certain: offsets
 *   that were given to lost records may be given again.
 * - A batch is copied if its bytes match their checksum and its place is confirmed: by the checksum next to the bytes, or
 *   by its row in `batches`. Nothing else of either table is needed.
 * - What is missing between the earliest offset and the end of a partition becomes a row that says so. Every reader gets
 *   `position_lost` there.
 * - Rows of writers are copied if they match their checksum: the next run claims the ids of the others anew.
 *
 * @throws {DamagedStorageError} the rows of topics are damaged, or it is not certain which partition is of which topic.
 */
export function copyQueue(damaged: Storage, whole: Storage): LostRange[] {
  const topics = createTopicRows(damaged).topics()
  const known = knownPartitions(damaged)
  const copied = known.map((row): CopiedPartition => {
    const { name, cleanup } = topics[row.topic - 1]!
    const partition = { id: row.id, topic: name, number: row.number, cleanup }
    const end = attempt(() => createBatchRows(damaged).readEnd(partition)).value
    return { row, partition, endIsKnown: end !== undefined, end: 0, maxTime: -1, ...end }
  })
  whole.database.exec('BEGIN')
  copyBatches(damaged, whole, copied)
  const lost = copied.flatMap((one) => completeRows(whole, one))
  const to = createTopicRows(whole)
  for (const topic of topics) {
    const isCertain = copied.every(({ row, endIsKnown }) => row.topic !== topic.id || endIsKnown)
    to.insertTopic(isCertain ? topic : { ...topic, uid: randomUUID() })
  }
  for (const { row } of copied) {
    // Compaction begins anew: which tombstones it has met is not known for sure.
    to.insertPartition({ ...row, earliest: row.earliest ?? 0, compacted: 0 })
  }
  copyWriters(damaged, whole)
  // Of these nobody knows where they belong, or they are before the earliest offset.
  whole.database.exec('DELETE FROM bytes WHERE id NOT IN (SELECT bytes_id FROM batches)')
  whole.database.exec('COMMIT')
  return lost
}

interface CopiedPartition {
  readonly row: KnownPartition
  readonly partition: Partition
  readonly endIsKnown: boolean
  /** Where its row is damaged: the highest of which another row knows. */
  end: number
  maxTime: number
}

function copyWriters(damaged: Storage, whole: Storage): void {
  const to = createWriterRows(whole)
  for (const row of attempt(() => createWriterRows(damaged).intact()).value ?? []) to.put(row)
}

function copyBatches(damaged: Storage, whole: Storage, copied: readonly CopiedPartition[]): void {
  const stored = createStoredBatches(damaged.database)
  const rows = createBatchRows(whole)
  const bytesOf = createBatchBytes(whole)

  function put(partition: Partition, { bytes, batch }: FoundBatch): void {
    const baseOffset = Number(batch.baseOffset)
    if (rows.atOrBefore(partition, baseOffset)?.baseOffset === baseOffset) return
    const { low, high } = partition.cleanup === 'compact' ? keyBitsOf(batch.records()) : anyKey
    rows.insert(partition, {
      baseOffset,
      lastOffset: Number(batch.lastOffset),
      // Of the batch alone, until the rows are complete.
      maxTime: batch.maxTime,
      keysLow: low,
      keysHigh: high,
      tombstonesUntil: 0,
      bytesId: bytesOf.insert(partition, bytes),
      size: bytes.length,
      batchChecksum: checksumIn(bytes),
    })
  }

  for (const { partitionId, ...found } of stored.byPlace()) {
    const partition = copied[partitionId - 1]?.partition
    if (partition !== undefined) put(partition, found)
  }
  for (const one of copied) {
    for (const row of intactRows(damaged, one.partition)) {
      one.end = Math.max(one.end, row.lastOffset + 1)
      one.maxTime = Math.max(one.maxTime, row.maxTime)
      if ((rows.atOrBefore(one.partition, row.baseOffset)?.lastOffset ?? -1) >= row.baseOffset) continue
      const found = attempt(() => stored.byRow(one.partition, row)).value
      if (found !== undefined) put(one.partition, found)
    }
  }
}

function* intactRows(damaged: Storage, partition: Partition): Generator<BatchRow, void, undefined> {
  const rows = createBatchRows(damaged)
  const first = batchKey(partition.id, 0)
  for (const key of readableIds(damaged.database, 'batches', { after: first - 1n, before: endKey(partition.id) })) {
    const baseOffset = Number(key - first)
    const row = attempt(() => rows.atOrBefore(partition, baseOffset)).value
    if (row?.baseOffset === baseOffset) yield row
  }
}

/** Makes the rows of a partition follow each other from its earliest offset to its end. Returns what is lost. */
function completeRows(whole: Storage, { row, partition, ...known }: CopiedPartition): LostRange[] {
  const rows = createBatchRows(whole)
  const lost: LostRange[] = []
  const earliest = row.earliest ?? 0
  let next = earliest
  let maxTime = -1
  const noteLoss = (to: number) => {
    rows.insert(partition, { ...lostBatch, baseOffset: next, lastOffset: to - 1, maxTime })
    const isFirst = next === 0 && row.earliest === undefined && partition.cleanup === 'delete'
    lost.push({ partition, first: isFirst ? undefined : next, last: to - 1 })
  }
  for (const batch of rows.forward(partition, 0)) {
    const { baseOffset, lastOffset } = batch
    if (lastOffset < earliest || (baseOffset < next && next > earliest)) {
      rows.remove(partition, baseOffset, baseOffset + 1)
      continue
    }
    maxTime = Math.max(maxTime, batch.maxTime)
    // Its records may be as new as those behind them, so a search by time ends there and its reader is told.
    if (baseOffset > next) noteLoss(baseOffset)
    rows.update(partition, { ...batch, maxTime })
    next = lastOffset + 1
  }
  maxTime = Math.max(maxTime, known.maxTime)
  if (known.end > next) noteLoss(known.end)
  const end = Math.max(next, known.end)
  if (!known.endIsKnown) lost.push({ partition, first: end, last: undefined })
  rows.insertEnd(partition.id)
  rows.writeEnd(partition, { end, maxTime })
  return lost
}

/** What was lost may have held any key. */
const lostBatch = {
  keysLow: anyKey.low,
  keysHigh: anyKey.high,
  tombstonesUntil: 0,
  bytesId: 0,
  size: 0,
  batchChecksum: 0,
}
