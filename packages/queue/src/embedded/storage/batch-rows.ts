import { DamagedBatchError } from '../../errors.ts'
import { damagedBatch } from '../../record-batch/stored-batch.ts'
import { rowChecksum } from './row-checksum.ts'
import type { Storage } from './storage.ts'
import type { Partition } from './topic-rows.ts'

/** The columns are described in `schema.ts`. */
export interface BatchRow {
  readonly baseOffset: number
  readonly lastOffset: number
  readonly maxTime: number
  readonly key: Uint8Array | null
  readonly supersededBy: number
  readonly removableAt: number
  readonly bytesId: number
  readonly size: number
  readonly batchChecksum: number
}

export interface PartitionEnd {
  readonly end: number
  readonly maxTime: number
}

/** Throws `DamagedBatchError` for a row that does not match its checksum. Changes must run in a write transaction. */
export interface BatchRows {
  forward(partition: Partition, baseOffset: number): Generator<BatchRow, void, undefined>
  atOrBefore(partition: Partition, offset: number): BatchRow | undefined
  /** If the index is damaged, the row may be an older one or have another key. */
  withKey(partition: Partition, key: Uint8Array, before: number): BatchRow | undefined
  /** Whether rows without this key cover all offsets, and none of their batches is lost. Does not use the index. */
  areWithout(partition: Partition, key: Uint8Array, from: number, end: number): boolean
  readEnd(partition: Partition): PartitionEnd
  insert(partition: Partition, row: BatchRow): void
  /** Does not change the key, so that a damaged index is not written. */
  update(partition: Partition, row: BatchRow): void
  remove(partition: Partition, from: number, to: number): void
  insertEnd(partitionId: number): void
  writeEnd(partition: Partition, end: PartitionEnd): void
}

export function createBatchRows({ database }: Storage): BatchRows {
  const forwardRows = database.prepare(`${select} WHERE id >= ? AND id < ? ORDER BY id`)
  const rowBefore = database.prepare(`${select} WHERE id >= ? AND id <= ? ORDER BY id DESC LIMIT 1`)
  const rowWithKey = database.prepare(`${select} WHERE id >> 43 = ? AND key = ? AND id < ? ORDER BY id DESC LIMIT 1`)
  const rowsWithout = database.prepare(
    `SELECT sum(last_offset - (id & ${offsetMask}) + 1) AS offsets, max(key IS ? OR bytes_id = 0) AS others
     FROM batches NOT INDEXED WHERE id >= ? AND id < ?`,
  )
  const endRow = database.prepare(`${select} WHERE id = ?`)
  const insertRow = database.prepare('INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const updateRow = database.prepare(
    `UPDATE batches SET last_offset = ?, max_time = ?, superseded_by = ?, removable_at = ?, bytes_id = ?, size = ?,
     batch_checksum = ?, checksum = ? WHERE id = ?`,
  )
  const removeRows = database.prepare('DELETE FROM batches WHERE id >= ? AND id < ?')

  return {
    *forward(partition, baseOffset) {
      const rows = forwardRows.iterate(batchKey(partition.id, baseOffset), endKey(partition.id))
      for (const row of rows as Iterable<unknown> as Iterable<RowWithChecksum>) yield checked(partition, row)
    },
    atOrBefore(partition, offset) {
      const row = rowBefore.get(batchKey(partition.id, 0), batchKey(partition.id, offset)) as
        | RowWithChecksum
        | undefined
      return row && checked(partition, row)
    },
    withKey(partition, key, before) {
      const row = rowWithKey.get(BigInt(partition.id), key, batchKey(partition.id, before))
      return row && checked(partition, row as unknown as RowWithChecksum)
    },
    areWithout({ id }, key, from, end) {
      const { offsets, others } = rowsWithout.get(key, batchKey(id, from), endKey(id))!
      return (offsets ?? 0) === end - from && others !== 1
    },
    readEnd(partition) {
      const row = endRow.get(endKey(partition.id)) as RowWithChecksum | undefined
      if (row === undefined || row.checksum !== checksumOf(partition.id, row)) {
        const place = `the end of "${partition.topic}" partition ${partition.partition}`
        throw new DamagedBatchError(place, 'the row of the end is missing or does not match its checksum')
      }
      return { end: row.lastOffset + 1, maxTime: row.maxTime }
    },
    insert(partition, row) {
      insertRow.run(batchKey(partition.id, row.baseOffset), row.key, ...columnsOf(partition.id, row))
    },
    update(partition, row) {
      updateRow.run(...columnsOf(partition.id, row), batchKey(partition.id, row.baseOffset))
    },
    remove(partition, from, to) {
      removeRows.run(batchKey(partition.id, from), batchKey(partition.id, to))
    },
    insertEnd(partitionId) {
      insertRow.run(endKey(partitionId), null, ...columnsOf(partitionId, rowOfEnd({ end: 0, maxTime: -1 })))
    },
    writeEnd(partition, end) {
      updateRow.run(...columnsOf(partition.id, rowOfEnd(end)), endKey(partition.id))
    },
  }
}

/** The partition in 20 bits, the base offset in 43. A bigint, because `node:sqlite` binds a number as floating-point. */
export function batchKey(partitionId: number, offset: number): bigint {
  return (BigInt(partitionId) << offsetBits) | BigInt(offset)
}

export function endKey(partitionId: number): bigint {
  return (BigInt(partitionId) << offsetBits) | offsetMask
}

export function partitionOfKey(key: bigint): number {
  return Number(key >> offsetBits)
}

export const noBatch = { key: null, supersededBy: 0, removableAt: 0, bytesId: 0, size: 0, batchChecksum: 0 }

const offsetBits = 43n
const offsetMask = (1n << offsetBits) - 1n

export const highestPartitionId: number = 2 ** 20 - 1

const select = `
  SELECT id & ${offsetMask} AS baseOffset, key, last_offset AS lastOffset, max_time AS maxTime,
    superseded_by AS supersededBy, removable_at AS removableAt, bytes_id AS bytesId, size,
    batch_checksum AS batchChecksum, checksum
  FROM batches`

interface RowWithChecksum extends BatchRow {
  readonly checksum: number
}

function checked(partition: Partition, row: RowWithChecksum): BatchRow {
  if (row.checksum === checksumOf(partition.id, row)) return row
  throw damagedBatch(partition, row.baseOffset, 'its row does not match its checksum')
}

/** Their order is that of `updateRow`, and that of the checksum is not to be changed. */
function columnsOf(partitionId: number, row: BatchRow): number[] {
  const { baseOffset, lastOffset, maxTime, key, supersededBy, removableAt, bytesId, size, batchChecksum } = row
  const others = [supersededBy, removableAt, bytesId, size, batchChecksum]
  const checksum = rowChecksum([partitionId, baseOffset, lastOffset, maxTime, key, ...others])
  return [lastOffset, maxTime, ...others, checksum]
}

function checksumOf(partitionId: number, row: BatchRow): number {
  return columnsOf(partitionId, row).at(-1)!
}

function rowOfEnd({ end, maxTime }: PartitionEnd): BatchRow {
  return { ...noBatch, baseOffset: Number(offsetMask), lastOffset: end - 1, maxTime }
}
