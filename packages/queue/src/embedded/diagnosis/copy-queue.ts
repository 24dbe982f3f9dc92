import { randomUUID } from 'node:crypto'
import { type BatchRows, createBatchRows, endRow, noBatch } from '../storage/batch-rows.ts'
import { compactionLagMs, tombstoneRetentionMs } from '../storage/batch-table.ts'
import type { Storage } from '../storage/storage.ts'
import { createTopicRows, type Partition } from '../storage/topic-rows.ts'
import { createWriterRows } from '../storage/writers.ts'
import { attempt, readableOffsets } from './damaged-pages.ts'
import type { LostRange } from './findings.ts'
import { type KnownPartition, knownPartitions } from './partition-rows.ts'
import { createStoredBatches, type FoundBatch } from './stored-batches.ts'

/**
 * Copies what is not damaged into an empty queue. Returns what is lost.
 *
 * A topic gets a new id if the end of one of its partitions is not certain, because offsets of lost records may be assigned
 * again. A batch is copied if its row or the checksum next to its bytes confirms its place. A lost range becomes a row
 * without a batch. A damaged row of a writer is left out: the next run claims its id again.
 *
 * @throws {DamagedStorageError} the rows of `topics` are damaged, or the topic of a partition is not certain.
 */
export function copyQueue(damaged: Storage, repaired: Storage): LostRange[] {
  const topics = createTopicRows(damaged).topics()
  const from = createBatchRows(damaged)
  const to = createBatchRows(repaired)
  const copied = knownPartitions(damaged).map((row): CopiedPartition => {
    const { name, cleanup } = topics[row.topic - 1]!
    const partition = { id: row.id, topic: name, partition: row.number, cleanup }
    const end = attempt(() => from.readEnd(partition)).value
    return { row, partition, endIsKnown: end !== undefined, end: 0, maxTime: -1, ...end }
  })
  repaired.database.exec('BEGIN')
  copyBatches(damaged, repaired, copied)
  const lost = copied.flatMap((one) => completeRows(to, one))
  for (const { partition } of copied) if (partition.cleanup === 'compact') markSuperseded(to, partition)
  const topicRows = createTopicRows(repaired)
  for (const topic of topics) {
    const isCertain = copied.every(({ row, endIsKnown }) => row.topic !== topic.id || endIsKnown)
    topicRows.insertTopic(isCertain ? topic : { ...topic, uid: randomUUID() })
  }
  for (const { row } of copied) topicRows.insertPartition({ ...row, earliest: row.earliest ?? 0 })
  const writers = createWriterRows(repaired)
  for (const writer of attempt(() => createWriterRows(damaged).intact()).value ?? []) writers.put(writer)
  // Those that have no known place, or are before the earliest offset.
  repaired.database.exec('DELETE FROM bytes WHERE id NOT IN (SELECT bytes_id FROM batches)')
  repaired.database.exec('COMMIT')
  return lost
}

interface CopiedPartition {
  readonly row: KnownPartition
  readonly partition: Partition
  readonly endIsKnown: boolean
  /** If the row of the end is damaged, from the other rows. */
  end: number
  maxTime: number
}

function copyBatches(damaged: Storage, repaired: Storage, copied: readonly CopiedPartition[]): void {
  const stored = createStoredBatches(damaged.database)
  const from = createBatchRows(damaged)
  const to = createBatchRows(repaired)

  function put(partition: Partition, { bytes, batch }: FoundBatch): void {
    const baseOffset = Number(batch.baseOffset)
    if (to.atOrBefore(partition, baseOffset)?.baseOffset === baseOffset) return
    const [record] = partition.cleanup === 'compact' ? batch.records() : []
    to.insert(partition, {
      ...noBatch,
      baseOffset,
      lastOffset: Number(batch.lastOffset),
      maxTime: batch.maxTime,
      key: record?.key ?? null,
      removableAt: record?.value === null ? Date.now() + tombstoneRetentionMs : 0,
      ...to.insertBytes(partition, bytes),
    })
  }

  for (const { partitionId, ...found } of stored.byPlace()) {
    const partition = copied[partitionId - 1]?.partition
    if (partition !== undefined) put(partition, found)
  }
  for (const one of copied) {
    const { partition } = one
    for (const baseOffset of readableOffsets(damaged.database, partition)) {
      const row = attempt(() => from.atOrBefore(partition, baseOffset)).value
      if (row?.baseOffset !== baseOffset) continue
      one.end = Math.max(one.end, row.lastOffset + 1)
      one.maxTime = Math.max(one.maxTime, row.maxTime)
      if ((to.atOrBefore(partition, baseOffset)?.lastOffset ?? -1) >= baseOffset) continue
      const found = attempt(() => stored.byRow(partition, row)).value
      if (found !== undefined) put(partition, found)
    }
  }
}

function completeRows(rows: BatchRows, { row, partition, ...known }: CopiedPartition): LostRange[] {
  const lost: LostRange[] = []
  const earliest = row.earliest ?? 0
  let next = earliest
  let maxTime = -1
  const insertLoss = (to: number) => {
    rows.insert(partition, { ...noBatch, baseOffset: next, lastOffset: to - 1, maxTime })
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
    // With the highest time so far, so that a search by time stops at the loss.
    if (baseOffset > next) insertLoss(baseOffset)
    rows.update(partition, { ...batch, maxTime })
    next = lastOffset + 1
  }
  maxTime = Math.max(maxTime, known.maxTime)
  if (known.end > next) insertLoss(known.end)
  const end = Math.max(next, known.end)
  if (!known.endIsKnown) lost.push({ partition, first: end, last: undefined })
  rows.insert(partition, endRow({ end, maxTime }))
  return lost
}

/** A lost batch may have held a newer record of any key. */
function markSuperseded(rows: BatchRows, partition: Partition): void {
  const newer = new Map<string, number>()
  let lost = 0
  for (const row of [...rows.forward(partition, 0)].reverse()) {
    if (row.bytesId === 0) lost = row.baseOffset
    if (row.key === null) continue
    const key = Buffer.from(row.key).toString('latin1')
    const supersededBy = newer.get(key) ?? lost
    if (supersededBy > 0) {
      const removableAt = newer.has(key) ? Date.now() + compactionLagMs : 0
      rows.update(partition, { ...row, supersededBy, removableAt })
    }
    newer.set(key, row.baseOffset)
  }
}
