import { DamagedBatchError } from '../../errors.ts'
import { encodeCompacted, setBaseOffset } from '../../record-batch/encode.ts'
import { damagedBatch, type StoredBatch } from '../../record-batch/stored-batch.ts'
import { type BatchRow, type BatchRows, endRow, noBatch, type PartitionEnd } from './batch-rows.ts'
import type { Partition } from './topic-rows.ts'
import type { WriteLock } from './write-lock.ts'

export interface NewBatch {
  readonly bytes: Uint8Array
  readonly count: number
  readonly maxTime: number
  /** The key of the only record, in a compacted topic. */
  readonly key: Uint8Array | null
  readonly isTombstone: boolean
}

/** How long compaction keeps a superseded record for readers that follow (Kafka's `min.compaction.lag.ms`). */
export const compactionLagMs: number = 10 * 60 * 1000

/** How long compaction keeps a tombstone (Kafka's `delete.retention.ms`). */
export const tombstoneRetentionMs: number = 24 * 60 * 60 * 1000

/** Throws `DamagedBatchError` for a damaged or missing row or batch. Changes must run in a write transaction. */
export interface BatchTable {
  end(partition: Partition): number
  append(partition: Partition, batch: NewBatch): void
  rowsFrom(partition: Partition, offset: number): Generator<BatchRow, void, undefined>
  rowAt(partition: Partition, offset: number): BatchRow
  /** Also throws if a lost record may be the newest. */
  newest(partition: Partition, key: Uint8Array, earliest: number): BatchRow | undefined
  load(partition: Partition, row: BatchRow): StoredBatch
  /** Removes some of the batches that end before the offset. Returns whether more may remain. */
  removeBefore(partition: Partition, offset: number): boolean
  /** Inspects up to `limit` rows. Returns the offset to continue from. */
  removeStale(partition: Partition, from: number, now: number, limit: number): number | undefined
}

export function createBatchTable(rows: BatchRows, lock: WriteLock): BatchTable {
  const ends = lock.createCache<number, PartitionEnd>()

  function rowAt(partition: Partition, offset: number): BatchRow {
    const row = rows.atOrBefore(partition, offset)
    if (row === undefined || row.lastOffset < offset) throw damagedBatch(partition, offset, 'its row is missing')
    return row
  }

  function* rowsFrom(partition: Partition, offset: number): Generator<BatchRow, void, undefined> {
    const { end } = rows.readEnd(partition)
    if (offset >= end) return
    const first = rowAt(partition, offset)
    yield first
    let next = first.lastOffset + 1
    if (next === end) return
    for (const row of rows.forward(partition, next)) {
      if (row.baseOffset !== next) break
      yield row
      next = row.lastOffset + 1
    }
    if (next !== end) throw damagedBatch(partition, next, 'its row is missing')
  }

  function supersede(partition: Partition, key: Uint8Array, by: number): void {
    try {
      const row = rows.withKey(partition, key, by)
      if (row === undefined || !sameKey(row.key, key)) return
      // Already superseded by a record that a damaged index does not have.
      if (row.supersededBy > 0 && row.removableAt > 0) return
      rows.update(partition, { ...row, supersededBy: by, removableAt: Date.now() + compactionLagMs })
    } catch (error) {
      // Damage to an older record does not keep a newer one from being written.
      if (!(error instanceof DamagedBatchError)) throw error
    }
  }

  /** The index has no checksum, so its answer is confirmed by the rows. */
  function expectNone(partition: Partition, key: Uint8Array, earliest: number): void {
    if (rows.areWithout(partition, key, earliest, rows.readEnd(partition).end)) return
    for (const row of rowsFrom(partition, earliest)) {
      if (row.bytesId === 0) throw lostNewest(partition, row.baseOffset)
      if (sameKey(row.key, key)) throw damagedBatch(partition, row.baseOffset, 'the index of keys does not have it')
    }
  }

  function isStale(partition: Partition, row: BatchRow, now: number): boolean {
    if (row.key === null || row.removableAt === 0 || row.removableAt > now) return false
    // Until no older record of its key is left: otherwise that would become the newest.
    return row.supersededBy > 0 || !sameKey(rows.withKey(partition, row.key, row.baseOffset)?.key, row.key)
  }

  /** The row before the stale ones, or else the first of them, then covers their offsets. */
  function removeRecords(partition: Partition, before: BatchRow | undefined, stale: readonly BatchRow[]) {
    const [first] = stale
    if (first === undefined) return before
    const { lastOffset, maxTime } = stale.at(-1)!
    const joins = before !== undefined && before.bytesId > 0 && lastOffset - before.baseOffset <= largestDelta
    const kept = joins ? before : { ...first, key: null, supersededBy: 0, removableAt: 0 }
    const records = joins ? [...rows.load(partition, before).records()] : []
    const encoded = encodeCompacted(records, { baseOffset: BigInt(kept.baseOffset), lastOffset: BigInt(lastOffset) })
    rows.remove(partition, first.baseOffset, lastOffset + 1)
    for (const { bytesId } of stale) if (bytesId !== kept.bytesId) rows.removeBytes(bytesId)
    const after = { ...kept, lastOffset, maxTime, ...rows.updateBytes(partition, kept.bytesId, encoded) }
    if (joins) rows.update(partition, after)
    else rows.insert(partition, after)
    return after
  }

  return {
    end: (partition) => rows.readEnd(partition).end,
    append(partition, batch) {
      const before = ends.get(partition.id) ?? rows.readEnd(partition)
      setBaseOffset(batch.bytes, BigInt(before.end))
      const maxTime = Math.max(batch.maxTime, before.maxTime)
      const end = before.end + batch.count
      if (batch.key !== null) supersede(partition, batch.key, before.end)
      rows.insert(partition, {
        ...noBatch,
        baseOffset: before.end,
        lastOffset: end - 1,
        maxTime,
        key: batch.key,
        removableAt: batch.isTombstone ? Date.now() + tombstoneRetentionMs : 0,
        ...rows.insertBytes(partition, batch.bytes),
      })
      const after = { end, maxTime }
      rows.update(partition, endRow(after))
      ends.set(partition.id, after)
    },
    rowsFrom,
    rowAt,
    newest(partition, key, earliest) {
      const row = rows.withKey(partition, key, rows.readEnd(partition).end)
      if (row === undefined) {
        expectNone(partition, key, earliest)
        return undefined
      }
      if (!sameKey(row.key, key))
        throw damagedBatch(partition, row.baseOffset, 'the index of keys has another key for it')
      if (row.supersededBy > 0) {
        const newer = rowAt(partition, row.supersededBy)
        if (newer.bytesId === 0) throw lostNewest(partition, newer.baseOffset)
        throw damagedBatch(partition, row.supersededBy, 'the index of keys does not have it')
      }
      return row
    },
    load: rows.load,
    removeBefore(partition, offset) {
      const removed: BatchRow[] = []
      for (const row of rows.forward(partition, 0)) {
        if (row.lastOffset >= offset) break
        rows.removeBytes(row.bytesId)
        if (removed.push(row) === batchesPerStep) break
      }
      if (removed.length > 0) rows.remove(partition, 0, removed.at(-1)!.lastOffset + 1)
      return removed.length === batchesPerStep
    },
    removeStale(partition, from, now, limit) {
      const slice: BatchRow[] = []
      for (const row of rowsFrom(partition, from)) if (slice.push(row) === limit) break
      let kept: BatchRow | undefined
      let stale: BatchRow[] = []
      for (const row of slice) {
        if (isStale(partition, row, now)) stale.push(row)
        else {
          removeRecords(partition, kept, stale)
          stale = []
          kept = row
        }
      }
      kept = removeRecords(partition, kept, stale)
      return slice.length < limit ? undefined : kept!.baseOffset
    },
  }
}

function sameKey(one: Uint8Array | null | undefined, other: Uint8Array): boolean {
  return one != null && Buffer.compare(one, other) === 0
}

function lostNewest(partition: Partition, offset: number): DamagedBatchError {
  return damagedBatch(partition, offset, 'it was lost before a repair, and may have held the newest record of the key')
}

/** Writers can commit in between. */
const batchesPerStep = 64

/** `lastOffsetDelta` has 32 bits. */
const largestDelta = 2 ** 31 - 1
