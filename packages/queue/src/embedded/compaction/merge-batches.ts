import type { QueueRecord } from '../../record-batch/record-batch.ts'
import type { StoredBatch } from '../../record-batch/stored-batch.ts'
import type { BatchRow } from '../storage/batch-rows.ts'
import type { CompactionSettings } from './compaction-settings.ts'
import type { NewestOffsets } from './newest-offsets.ts'

/** Batches that lie side by side, and what becomes of them: one batch that stands for the same offsets. */
export interface Merge {
  readonly rows: BatchRow[]
  readonly kept: QueueRecord[]
  /** When the tombstones among what is kept may go, in ms since the Unix epoch; 0: there are none. */
  tombstonesUntil: number
}

/** Decides what compaction keeps of batches that are handed over in order. */
export interface BatchMerger {
  add(row: BatchRow, batch: StoredBatch): void
  /** What follows is not merged with what came before. */
  cut(): void
  /** What is to be done to the batches added so far; those that stay as they are, are left out. */
  finish(): Merge[]
}

export interface MergeOptions {
  readonly newest: NewestOffsets
  /** Compaction has been through the records before this offset. */
  readonly compacted: number
  /** The time now, in ms since the Unix epoch. */
  readonly now: number
  readonly settings: Pick<CompactionSettings, 'batchBytes' | 'tombstonesMs'>
}

export function createBatchMerger({ newest, compacted, now, settings }: MergeOptions): BatchMerger {
  const { batchBytes, tombstonesMs } = settings
  const merges: Merge[] = []
  let open: (Merge & { size: number; changed: boolean }) | undefined

  /** Older records of the key went before the tombstone was compacted first, so nothing comes back when it goes. */
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

  function cut(): void {
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
      if (!fits(row, size, tombstonesUntil)) cut()
      open ??= { rows: [], kept: [], tombstonesUntil: 0, size: 0, changed: false }
      open.rows.push(row)
      for (const record of kept) open.kept.push(record)
      open.tombstonesUntil ||= tombstonesUntil
      open.size += size
      open.changed ||= changed
    },
    cut,
    finish() {
      cut()
      return merges
    },
  }
}

/** A batch holds the distance between its first and its last offset in a signed integer of 32 bits. */
const largestDelta = 2 ** 31 - 1
