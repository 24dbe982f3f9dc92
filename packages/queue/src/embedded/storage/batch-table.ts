import { DamagedBatchError } from '../../errors.ts'
import { setBaseOffset } from '../../record-batch/batch-header.ts'
import { describePlace, type StoredBatch } from '../../record-batch/stored-batch.ts'
import { type BatchBytes, checksumIn } from './batch-bytes.ts'
import type { BatchRow, BatchRows, PartitionEnd } from './batch-rows.ts'
import { type KeyBits, mayHold } from './key-bits.ts'
import type { Partition } from './topics.ts'
import type { WriteLock } from './write-lock.ts'

/** A batch without offsets. */
export interface NewBatch {
  /** `append` writes the base offset into them. */
  readonly bytes: Uint8Array
  readonly count: number
  readonly maxTime: number
  readonly keyBits: KeyBits
}

/** One batch that replaces adjacent ones and covers the same offsets. */
export interface Replacement {
  /** The rows of the replaced batches in order. `after` has the `bytesId` of the first. */
  readonly before: readonly BatchRow[]
  readonly after: BatchRow
  readonly bytes: Uint8Array
}

/**
 * The batches of the partitions. Every method that reads throws `DamagedBatchError` with the place if a row or a batch
 * is damaged or missing.
 */
export interface BatchTable {
  /** The offset after the last batch. */
  end(partition: Partition): number
  /** Appends a batch. Must run in a write transaction. */
  append(partition: Partition, batch: NewBatch): void
  /** The rows from the one that covers an offset to the end, in order. */
  rowsFrom(partition: Partition, offset: number): Generator<BatchRow, void, undefined>
  /** The row that covers an offset, which is before the end. */
  rowAt(partition: Partition, offset: number): BatchRow
  /** The rows of batches that may hold a key, newest first, down to the one that covers `earliest`. */
  newestWith(partition: Partition, keyBits: KeyBits, earliest: number): Generator<BatchRow, void, undefined>
  load(partition: Partition, row: BatchRow): StoredBatch
  /**
   * Removes the first `limit` batches that end before an offset. Returns whether more remain. Must run in a write
   * transaction.
   */
  removeBefore(partition: Partition, offset: number, limit: number): boolean
  /**
   * Applies all replacements, or none if one of the batches has changed since. Returns whether it did. Must run in a
   * write transaction.
   */
  replace(partition: Partition, replacements: readonly Replacement[]): boolean
}

export function createBatchTable(rows: BatchRows, bytes: BatchBytes, lock: WriteLock): BatchTable {
  const ends = lock.createCache<number, PartitionEnd>()

  function rowAt(partition: Partition, offset: number): BatchRow {
    const row = rows.atOrBefore(partition, offset)
    if (row === undefined || row.lastOffset < offset) throw missingError(partition, offset)
    return row
  }

  return {
    end: (partition) => rows.readEnd(partition).end,
    append(partition, batch) {
      const before = ends.get(partition.id) ?? rows.readEnd(partition)
      setBaseOffset(batch.bytes, BigInt(before.end))
      const maxTime = Math.max(batch.maxTime, before.maxTime)
      const end = before.end + batch.count
      rows.insert(partition, {
        baseOffset: before.end,
        lastOffset: end - 1,
        maxTime,
        keysLow: batch.keyBits.low,
        keysHigh: batch.keyBits.high,
        tombstonesUntil: 0,
        bytesId: bytes.insert(partition, batch.bytes),
        size: batch.bytes.length,
        batchChecksum: checksumIn(batch.bytes),
      })
      const after = { end, maxTime }
      rows.writeEnd(partition, after)
      ends.set(partition.id, after)
    },
    *rowsFrom(partition, offset) {
      const { end } = rows.readEnd(partition)
      if (offset >= end) return
      let next = rowAt(partition, offset).baseOffset
      for (const row of rows.forward(partition, next)) {
        if (row.baseOffset !== next) throw missingError(partition, next)
        yield row
        next = row.lastOffset + 1
      }
      if (next !== end) throw missingError(partition, next)
    },
    rowAt,
    *newestWith(partition, keyBits, earliest) {
      let begin = rows.readEnd(partition).end
      for (const row of rows.backward(partition)) {
        if (begin <= earliest) return
        if (row.lastOffset !== begin - 1) throw missingError(partition, row.lastOffset + 1)
        if (mayHold({ low: row.keysLow, high: row.keysHigh }, keyBits)) yield row
        begin = row.baseOffset
      }
      if (begin > earliest) throw missingError(partition, earliest)
    },
    load: (partition, row) => bytes.load(partition, row),
    removeBefore(partition, offset, limit) {
      let from: number | undefined
      let to = 0
      for (const row of rows.forward(partition, 0)) {
        if (row.lastOffset >= offset) break
        if (limit-- === 0) break
        from ??= row.baseOffset
        to = row.lastOffset + 1
        bytes.remove(row.bytesId)
      }
      if (from === undefined) return false
      rows.remove(partition, from, to)
      return limit < 0
    },
    replace(partition, replacements) {
      const unchanged = replacements.every(({ before }) =>
        before.every((row) => sameBatch(rows.atOrBefore(partition, row.baseOffset), row)),
      )
      if (!unchanged) return false
      for (const { before, after, bytes: replaced } of replacements) {
        bytes.update(partition, after.bytesId, replaced)
        rows.update(partition, after)
        const [, ...others] = before
        for (const { bytesId } of others) bytes.remove(bytesId)
        if (others.length > 0) rows.remove(partition, others[0]!.baseOffset, after.lastOffset + 1)
      }
      return true
    },
  }
}

function sameBatch(now: BatchRow | undefined, before: BatchRow): boolean {
  return (
    now?.baseOffset === before.baseOffset &&
    now.bytesId === before.bytesId &&
    now.batchChecksum === before.batchChecksum
  )
}

function missingError({ topic, number }: Partition, offset: number): DamagedBatchError {
  const place = describePlace({ topic, partition: number }, BigInt(offset))
  return new DamagedBatchError(place, 'its row is missing')
}
