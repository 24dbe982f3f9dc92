import { randomUUID } from 'node:crypto'
import { checksumIn, createBatchBytes } from '../storage/batch-bytes.ts'
import { createBatchRows, type PartitionEnd } from '../storage/batch-rows.ts'
import { anyKey, keyBitsOf } from '../storage/key-bits.ts'
import type { Storage } from '../storage/storage.ts'
import { createTopicRows, type PartitionRow } from '../storage/topic-rows.ts'
import type { Partition } from '../storage/topics.ts'
import { createWriterRows, type WriterRow } from '../storage/writer-rows.ts'
import { findStoredBatches } from './stored-batches.ts'

/**
 * Copies what can be trusted of a damaged queue into an empty one. A range of offsets of which no batch is left becomes a
 * row that says so, and every reader of it is told.
 *
 * @throws {DamagedStorageError} the rows of topics or partitions are damaged: nobody can tell what belongs to them.
 */
export function copyQueue(damaged: Storage, whole: Storage): void {
  const from = createTopicRows(damaged)
  const topics = from.topics()
  const copied = from.partitions().map((row): CopiedPartition => {
    const { name, cleanup } = topics[row.topic - 1]!
    const partition = { id: row.id, topic: name, number: row.number, cleanup }
    return { row, partition, end: readEnd(damaged, partition) }
  })
  whole.database.exec('BEGIN')
  const to = createTopicRows(whole)
  for (const topic of topics) {
    const ends = copied.filter(({ row }) => row.topic === topic.id).map(({ end }) => end)
    // Offsets that were given to lost records may be given again. Whoever has one is told, by the other id.
    to.insertTopic(ends.includes(undefined) ? { ...topic, uid: randomUUID() } : topic)
  }
  // Compaction begins anew: which tombstones it has met is not known for sure.
  for (const { row } of copied) to.insertPartition({ ...row, compacted: 0 })
  copyWriters(damaged, whole)
  copyBatches(damaged, whole, copied)
  for (const one of copied) completeRows(whole, one)
  // Of these nobody knows where they belong, or they lie before the earliest offset.
  whole.database.exec('DELETE FROM bytes WHERE id NOT IN (SELECT bytes_id FROM batches)')
  whole.database.exec('COMMIT')
}

interface CopiedPartition {
  readonly row: PartitionRow
  readonly partition: Partition
  /** Not known where its row is damaged. */
  readonly end: PartitionEnd | undefined
}

function readEnd(damaged: Storage, partition: Partition): PartitionEnd | undefined {
  try {
    return createBatchRows(damaged).readEnd(partition)
  } catch {
    return undefined
  }
}

/** A row that does not match its checksum is left out: the next run then claims the id anew. */
function copyWriters(damaged: Storage, whole: Storage): void {
  const to = createWriterRows(whole)
  for (const row of readWriters(damaged)) to.put(row)
}

function readWriters(damaged: Storage): WriterRow[] {
  try {
    return createWriterRows(damaged).intact()
  } catch {
    return []
  }
}

/** Copies the batches and gives each a row, whose highest time is at first that of the batch alone. */
function copyBatches(damaged: Storage, whole: Storage, copied: readonly CopiedPartition[]): void {
  const bytesOf = createBatchBytes(whole)
  const rows = createBatchRows(whole)
  for (const { partitionId, bytes, batch } of findStoredBatches(damaged.database)) {
    const partition = copied[partitionId - 1]?.partition
    const baseOffset = Number(batch.baseOffset)
    if (partition === undefined || rows.atOrBefore(partition, baseOffset)?.baseOffset === baseOffset) continue
    const { low, high } = partition.cleanup === 'compact' ? keyBitsOf(batch.records()) : anyKey
    rows.insert(partition, {
      baseOffset,
      lastOffset: Number(batch.lastOffset),
      maxTime: batch.maxTime,
      keysLow: low,
      keysHigh: high,
      tombstonesUntil: 0,
      bytesId: bytesOf.insert(partition, bytes),
      size: bytes.length,
      batchChecksum: checksumIn(bytes),
    })
  }
}

/** Makes the rows of a partition follow each other from its earliest offset to its end. */
function completeRows(whole: Storage, { row: { earliest }, partition, end }: CopiedPartition): void {
  const rows = createBatchRows(whole)
  let next: number | undefined
  let maxTime = -1
  const noteLoss = (to: number) => {
    rows.insert(partition, { ...lost, baseOffset: next ?? earliest, lastOffset: to - 1, maxTime })
  }
  for (const row of rows.forward(partition, 0)) {
    const { baseOffset, lastOffset } = row
    if (lastOffset < earliest || baseOffset < (next ?? 0)) {
      rows.remove(partition, baseOffset, baseOffset + 1)
      continue
    }
    maxTime = Math.max(maxTime, row.maxTime)
    // Its records may be as new as those behind them, so a search by time ends there and its reader is told.
    if (baseOffset > (next ?? earliest)) noteLoss(baseOffset)
    rows.update(partition, { ...row, maxTime })
    next = lastOffset + 1
  }
  const reached = next ?? earliest
  const { end: last, maxTime: lastTime } = end ?? { end: reached, maxTime }
  maxTime = Math.max(maxTime, lastTime)
  if (last > reached) noteLoss(last)
  rows.insertEnd(partition.id)
  rows.writeEnd(partition, { end: Math.max(reached, last), maxTime })
}

/** What was lost may have held any key. */
const lost = {
  keysLow: anyKey.low,
  keysHigh: anyKey.high,
  tombstonesUntil: 0,
  bytesId: 0,
  size: 0,
  batchChecksum: 0,
}
