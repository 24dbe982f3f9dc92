import { randomUUID } from 'node:crypto'
import { checksumIn, createBatchBytes } from '../storage/batch-bytes.ts'
import { type BatchRow, batchKey, createBatchRows, endKey, noBatch } from '../storage/batch-rows.ts'
import { compactionLagMs, tombstoneRetentionMs } from '../storage/batch-table.ts'
import type { Storage } from '../storage/storage.ts'
import type { Partition } from '../storage/topic-rows.ts'
import { createTopicRows } from '../storage/topic-rows.ts'
import { createWriterRows } from '../storage/writers.ts'
import { attempt } from './attempt.ts'
import type { LostRange } from './findings.ts'
import { type KnownPartition, knownPartitions } from './partition-rows.ts'
import { readableIds } from './readable-ids.ts'
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
  const known = knownPartitions(damaged)
  const copied = known.map((row): CopiedPartition => {
    const { name, cleanup } = topics[row.topic - 1]!
    const partition = { id: row.id, topic: name, number: row.number, cleanup }
    const end = attempt(() => createBatchRows(damaged).readEnd(partition)).value
    return { row, partition, endIsKnown: end !== undefined, end: 0, maxTime: -1, ...end }
  })
  repaired.database.exec('BEGIN')
  copyBatches(damaged, repaired, copied)
  const lost = copied.flatMap((one) => completeRows(repaired, one))
  for (const { partition } of copied) if (partition.cleanup === 'compact') markSuperseded(repaired, partition)
  const to = createTopicRows(repaired)
  for (const topic of topics) {
    const isCertain = copied.every(({ row, endIsKnown }) => row.topic !== topic.id || endIsKnown)
    to.insertTopic(isCertain ? topic : { ...topic, uid: randomUUID() })
  }
  for (const { row } of copied) {
    to.insertPartition({ ...row, earliest: row.earliest ?? 0 })
  }
  copyWriters(damaged, repaired)
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

function copyWriters(damaged: Storage, repaired: Storage): void {
  const to = createWriterRows(repaired)
  for (const row of attempt(() => createWriterRows(damaged).intact()).value ?? []) to.put(row)
}

function copyBatches(damaged: Storage, repaired: Storage, copied: readonly CopiedPartition[]): void {
  const stored = createStoredBatches(damaged.database)
  const rows = createBatchRows(repaired)
  const bytesOf = createBatchBytes(repaired)

  function put(partition: Partition, { bytes, batch }: FoundBatch): void {
    const baseOffset = Number(batch.baseOffset)
    if (rows.atOrBefore(partition, baseOffset)?.baseOffset === baseOffset) return
    const [record] = partition.cleanup === 'compact' ? batch.records() : []
    rows.insert(partition, {
      baseOffset,
      lastOffset: Number(batch.lastOffset),
      maxTime: batch.maxTime,
      key: record?.key ?? null,
      supersededBy: 0,
      removableAt: record?.value === null ? Date.now() + tombstoneRetentionMs : 0,
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

function completeRows(repaired: Storage, { row, partition, ...known }: CopiedPartition): LostRange[] {
  const rows = createBatchRows(repaired)
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
  rows.insertEnd(partition.id)
  rows.writeEnd(partition, { end, maxTime })
  return lost
}

/** A lost batch may have held a newer record of any key. */
function markSuperseded(repaired: Storage, partition: Partition): void {
  const rows = createBatchRows(repaired)
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
