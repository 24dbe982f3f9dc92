import { LRUCache } from 'lru-cache'
import { DamagedBatchError } from '../../errors.ts'
import { decodeBatches } from '../../record-batch/decode.ts'
import { batchLayout } from '../../record-batch/layout.ts'
import { damagedBatch, type StoredBatch } from '../../record-batch/stored-batch.ts'
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

type BytesColumns = Pick<BatchRow, 'bytesId' | 'size' | 'batchChecksum'>

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
  insert(partition: Pick<Partition, 'id'>, row: BatchRow): void
  /** Does not change the key, so that a damaged index is not written. */
  update(partition: Partition, row: BatchRow): void
  remove(partition: Partition, from: number, to: number): void
  load(partition: Partition, row: BatchRow): StoredBatch
  insertBytes(partition: Partition, bytes: Uint8Array): BytesColumns
  updateBytes(partition: Partition, id: number, bytes: Uint8Array): BytesColumns
  removeBytes(id: number): void
}

export function createBatchRows({ database }: Storage): BatchRows {
  const forwardRows = database.prepare(`${select} WHERE id >= ? AND id < ? ORDER BY id`)
  const rowBefore = database.prepare(`${select} WHERE id >= ? AND id <= ? ORDER BY id DESC LIMIT 1`)
  const rowWithKey = database.prepare(`${select} WHERE id >> 43 = ? AND key = ? AND id < ? ORDER BY id DESC LIMIT 1`)
  const rowsWithout = database.prepare(
    `SELECT sum(last_offset - (id & ${offsetMask}) + 1) AS offsets, max(key IS ? OR bytes_id = 0) AS others
     FROM batches NOT INDEXED WHERE id >= ? AND id < ?`,
  )
  const lastRow = database.prepare(`${select} WHERE id = ?`)
  const insertRow = database.prepare('INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const updateRow = database.prepare(
    `UPDATE batches SET last_offset = ?, max_time = ?, superseded_by = ?, removable_at = ?, bytes_id = ?, size = ?,
     batch_checksum = ?, checksum = ? WHERE id = ?`,
  )
  const removeRows = database.prepare('DELETE FROM batches WHERE id >= ? AND id < ?')
  const selectBytes = database.prepare('SELECT bytes FROM bytes WHERE id = ?')
  const insertBytes = database.prepare('INSERT INTO bytes (partition, checksum, bytes) VALUES (?, ?, ?)')
  const updateBytes = database.prepare('UPDATE bytes SET checksum = ?, bytes = ? WHERE id = ?')
  const removeBytes = database.prepare('DELETE FROM bytes WHERE id = ?')
  const loaded = new LRUCache<number, LoadedBatch>({ maxSize: loadedBytes, sizeCalculation: memoryOf })

  return {
    *forward(partition, baseOffset) {
      const rows = forwardRows.iterate(batchKey(partition.id, baseOffset), endKey(partition.id))
      for (const row of rows as Iterable<unknown> as Iterable<RowWithChecksum>) yield checked(partition, row)
    },
    atOrBefore(partition, offset) {
      const row = rowBefore.get(batchKey(partition.id, 0), batchKey(partition.id, offset))
      return row && checked(partition, row as unknown as RowWithChecksum)
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
      const row = lastRow.get(endKey(partition.id)) as RowWithChecksum | undefined
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
    load(partition, row) {
      const known = loaded.get(row.bytesId)
      if (known && isSameBatch(known, { partition, row })) return known.batch
      const stored = selectBytes.get(BigInt(row.bytesId)) as { bytes: unknown } | undefined
      const batch = decode(partition, row, stored?.bytes)
      // A batch of a few records is loaded as fast as it is found here.
      if (row.size >= leastLoadedBytes || batch.codec !== 'none') loaded.set(row.bytesId, { partition, row, batch })
      return batch
    },
    insertBytes({ id }, bytes) {
      const { lastInsertRowid } = insertBytes.run(id, placeChecksum(id, bytes), bytes)
      return { bytesId: Number(lastInsertRowid), size: bytes.length, batchChecksum: checksumIn(bytes) }
    },
    updateBytes(partition, bytesId, bytes) {
      updateBytes.run(placeChecksum(partition.id, bytes), bytes, BigInt(bytesId))
      return { bytesId, size: bytes.length, batchChecksum: checksumIn(bytes) }
    },
    removeBytes: (id) => void removeBytes.run(BigInt(id)),
  }
}

/** Readers take a large batch in pieces, each of which would otherwise load and check all of it. */
interface LoadedBatch {
  readonly partition: Partition
  readonly row: BatchRow
  readonly batch: StoredBatch
}

/** Bounds the cost of a random read from disk. A batch of one record may be larger. */
export const fullBatchBytes: number = 256 * 1024
export const largestRecordBytes: number = 16 * 1024 * 1024

const loadedBytes = 8 << 20
/** Smaller ones are decoded as fast as they are found. */
const leastLoadedBytes = 4 << 10

/** A batch that was read keeps its decompressed records. */
function memoryOf({ row, batch }: LoadedBatch): number {
  if (batch.codec === 'none') return row.size
  return batch.count === 1 ? largestRecordBytes : Math.max(row.size, fullBatchBytes)
}

/** Rows are read each time, so a batch that was removed or replaced is not found. */
function isSameBatch(one: Omit<LoadedBatch, 'batch'>, other: Omit<LoadedBatch, 'batch'>): boolean {
  return (
    one.partition.id === other.partition.id &&
    one.row.baseOffset === other.row.baseOffset &&
    one.row.lastOffset === other.row.lastOffset &&
    one.row.size === other.row.size &&
    one.row.batchChecksum === other.row.batchChecksum
  )
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

/** The row whose id is `endKey`. */
export function endRow({ end, maxTime }: PartitionEnd): BatchRow {
  return { ...noBatch, baseOffset: Number(offsetMask), lastOffset: end - 1, maxTime }
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

/** In the order of `updateRow`. The file format fixes the order of the columns in the checksum. */
function columnsOf(partitionId: number, row: BatchRow): number[] {
  const { baseOffset, lastOffset, maxTime, key, supersededBy, removableAt, bytesId, size, batchChecksum } = row
  const others = [supersededBy, removableAt, bytesId, size, batchChecksum]
  const checksum = rowChecksum([partitionId, baseOffset, lastOffset, maxTime, key, ...others])
  return [lastOffset, maxTime, ...others, checksum]
}

function checksumOf(partitionId: number, row: BatchRow): number {
  return columnsOf(partitionId, row).at(-1)!
}

function checksumIn(batch: Uint8Array): number {
  return new DataView(batch.buffer, batch.byteOffset).getUint32(batchLayout.checksum)
}

/** Confirms the place of a batch whose row in `batches` is lost. */
export function placeChecksum(partitionId: number, batch: Uint8Array): number {
  const baseOffset = Number(new DataView(batch.buffer, batch.byteOffset).getBigInt64(batchLayout.baseOffset))
  return rowChecksum([partitionId, baseOffset, checksumIn(batch)])
}

/** The checksum of a batch covers neither its partition nor its base offset, so bytes are compared with their row. */
export function decode(partition: Partition, row: BatchRow, bytes: unknown): StoredBatch {
  const damaged = (difference: string) => damagedBatch(partition, row.baseOffset, difference)
  if (!(bytes instanceof Uint8Array)) throw damaged('its bytes are missing')
  if (bytes.length < batchLayout.records) throw damaged(`it has ${bytes.length} bytes`)
  const stored = new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(batchLayout.baseOffset)
  if (stored !== BigInt(row.baseOffset)) throw damaged(`its header has base offset ${stored}`)
  const [batch, ...more] = decodeBatches(bytes, partition)
  if (batch === undefined || more.length > 0 || batch.byteLength !== bytes.length) {
    throw damaged(`the length in its header is not that of its ${bytes.length} bytes`)
  }
  if (batch.lastOffset !== BigInt(row.lastOffset)) throw damaged(`its header has last offset ${batch.lastOffset}`)
  if (checksumIn(bytes) !== row.batchChecksum) throw damaged('it is another batch than the one that was committed')
  return batch
}
