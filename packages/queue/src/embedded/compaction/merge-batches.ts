import type { QueueRecord } from '../../record-batch/record-batch.ts'
import type { StoredBatch } from '../../record-batch/stored-batch.ts'
import type { BatchRow } from '../storage/batch-rows.ts'
import type { CompactionSettings } from './compaction-settings.ts'
import type { NewestOffsets } from './newest-offsets.ts'

/** Adjacent batches that become one batch, which covers the same offsets. */
export interface Merge {
  readonly rows: BatchRow[]
  readonly kept: QueueRecord[]
  /** When kept tombstones may be removed, in ms since the Unix epoch; 0 if there are none. */
  tombstonesUntil: number
}

/** Decides which records compaction keeps of batches that are added in order. */
export interface BatchMerger {
  add(row: BatchRow, batch: StoredBatch): void
  /** Batches added before are not merged with batches added later. */
  split(): void
  /** The changes to the batches added so far. Batches that do not change are left out. */
  finish(): Merge[]
}

export interface MergeOptions {
  readonly newest: NewestOffsets
  /** Compaction has processed the records before this offset. */
  readonly compacted: number
  /** The time now, in ms since the Unix epoch. */
  readonly now: number
  readonly settings: Pick<CompactionSettings, 'batchBytes' | 'tombstonesMs'>
}

export function createBatchMerger({ newest, compacted, now, settings }: MergeOptions): BatchMerger {
  const { batchBytes, tombstonesMs } = settings
  const merges: Merge[] = []
  let open: (Merge & { size: number; changed: boolean }) | undefined

  /** Older records of the key were removed by the first compaction of a tombstone, so removing it restores none. */
  function isStale({ key, value, offset }: QueueRecord, row: BatchRow): boolean {
    if (key === null) return false
    if (newest.knowsNewer(key, offset)) return true
    return value === null && row.lastOffset < compacted && row.tombstonesUntil > 0 && row.tombstonesUntil <= now
  }

  function fits(row: BatchRow, size: number, tombstonesUntil: number): boolean {
    if (open === undefined) return true
    const sameTime = open.tombstonesUntil === 0 || tombstonesUntil === 0 || open.tombstonesUntil === tombstonesUntil
    return sameTime && open.size + size <= batchBytes && row.lastOffset - open.rows[0]!.baseOffset <= largestDelta
  }

  function split(): void {
    if (open !== undefined && (open.changed || open.rows.length > 1)) merges.push(open)
    open = undefined
  }

  return {
    add(row, batch) {
      const kept = [...batch.records()].filter((record) => !isStale(record, row))
      const size = (row.size * kept.length) / Math.max(batch.count, 1)
      const hasTombstone = kept.some(({ value }) => value === null)
      const tombstonesUntil = hasTombstone ? row.tombstonesUntil || now + tombstonesMs : 0
      const changed = kept.length < batch.count || tombstonesUntil !== row.tombstonesUntil
      if (!fits(row, size, tombstonesUntil)) split()
      open ??= { rows: [], kept: [], tombstonesUntil: 0, size: 0, changed: false }
      open.rows.push(row)
      for (const record of kept) open.kept.push(record)
      open.tombstonesUntil ||= tombstonesUntil
      open.size += size
      open.changed ||= changed
    },
    split,
    finish() {
      split()
      return merges
    },
  }
}

/** `lastOffsetDelta` of a batch is a signed integer of 32 bits. */
const largestDelta = 2 ** 31 - 1
