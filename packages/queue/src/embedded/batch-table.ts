import { DamagedBatchError } from '../errors.ts'
import { setBaseOffset } from '../record-batch/batch-header.ts'
import { decodeBatches } from '../record-batch/decode.ts'
import { describePlace, type StoredBatch } from '../record-batch/stored-batch.ts'
import { batchKey, keyAfterPartition, offsetMask } from './batch-key.ts'
import { isCorrupt } from './sqlite-error.ts'
import type { Storage } from './storage.ts'
import type { Partition } from './topics.ts'

/** A batch that has no offset yet. */
export interface NewBatch {
  /** Its base offset is written into it when it is appended. */
  readonly bytes: Uint8Array
  readonly count: number
  readonly maxTime: number
  readonly keyBits: bigint
}

/** Where a batch lies. */
export interface BatchSpan {
  readonly baseOffset: number
  readonly lastOffset: number
  /** The highest time in the partition up to and including this batch. */
  readonly maxTimeSoFar: number
}

/** The rows of the batches. Batches that are damaged are never given out: `DamagedBatchError` names their place. */
export interface BatchTable {
  /** The offset after the last batch. */
  end(partition: Partition): number
  /** Adds a batch at the end. Within a write transaction. */
  append(partition: Partition, batch: NewBatch): void
  /** The batches that end at or after an offset, in order. */
  from(partition: Partition, offset: number): Generator<StoredBatch, void, undefined>
  /** The batches that have all of these key bits, newest first. */
  newestWith(partition: Partition, keyBits: bigint): Generator<StoredBatch, void, undefined>
  /** The last batch that begins at or before an offset. */
  spanAt(partition: Partition, offset: number): BatchSpan | undefined
  /**
   * Removes the first `limit` batches that end before an offset, but never the last of the partition, which tells where
   * it ends. Returns whether more are left to remove. Within a write transaction.
   */
  removeBefore(partition: Partition, offset: number, limit: number): boolean
}

export function createBatchTable({ database }: Storage): BatchTable {
  const tail = database.prepare(
    'SELECT last_offset + 1 AS end, max_time AS maxTime FROM batches WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1',
  )
  const insert = database.prepare('INSERT INTO batches VALUES (?, ?, ?, ?, ?)')
  const span = database.prepare(
    `SELECT id & ${offsetMask} AS baseOffset, last_offset AS lastOffset, max_time AS maxTimeSoFar
     FROM batches WHERE id >= ? AND id <= ? ORDER BY id DESC LIMIT 1`,
  )
  const forward = database.prepare(
    `SELECT id & ${offsetMask} AS baseOffset, last_offset AS lastOffset, bytes FROM batches
     WHERE id >= ? AND id < ? ORDER BY id`,
  )
  const backward = database.prepare(
    `SELECT id & ${offsetMask} AS baseOffset, last_offset AS lastOffset, bytes FROM batches
     WHERE id >= ? AND id < ? AND key_bits & ? = ? ORDER BY id DESC`,
  )
  const boundary = database.prepare('SELECT id FROM batches WHERE id >= ? AND id < ? ORDER BY id LIMIT 1 OFFSET ?', {
    readBigInts: true,
  })
  const remove = database.prepare('DELETE FROM batches WHERE id >= ? AND id < ?')

  function tailOf({ id }: Partition): { end: number; maxTime: number } {
    const row = tail.get(batchKey(id, 0), keyAfterPartition(id))
    return (row as { end: number; maxTime: number } | undefined) ?? { end: 0, maxTime: -1 }
  }

  function spanAt({ id }: Partition, offset: number): BatchSpan | undefined {
    return span.get(batchKey(id, 0), batchKey(id, offset)) as BatchSpan | undefined
  }

  return {
    end: (partition) => tailOf(partition).end,
    append(partition, { bytes, count, maxTime, keyBits }) {
      const before = tailOf(partition)
      setBaseOffset(bytes, BigInt(before.end))
      const highest = Math.max(maxTime, before.maxTime)
      insert.run(batchKey(partition.id, before.end), BigInt(before.end + count - 1), BigInt(highest), keyBits, bytes)
    },
    *from(partition, offset) {
      const first = spanAt(partition, offset)
      const start = first !== undefined && first.lastOffset >= offset ? first.baseOffset : offset
      const rows = forward.iterate(batchKey(partition.id, start), keyAfterPartition(partition.id))
      yield* decodeRows(rows as Iterable<unknown> as Iterable<BatchRow>, partition, start)
    },
    *newestWith(partition, keyBits) {
      const rows = backward.iterate(batchKey(partition.id, 0), keyAfterPartition(partition.id), keyBits, keyBits)
      yield* decodeRows(rows as Iterable<unknown> as Iterable<BatchRow>, partition, 0)
    },
    spanAt,
    removeBefore(partition, offset, limit) {
      const holding = spanAt(partition, Math.min(offset, tailOf(partition).end - 1))
      if (holding === undefined) return false
      const first = batchKey(partition.id, 0)
      const end = batchKey(partition.id, holding.baseOffset)
      const after = boundary.get(first, end, limit) as { id: bigint } | undefined
      remove.run(first, after?.id ?? end)
      return after !== undefined
    },
  }
}

interface BatchRow {
  readonly baseOffset: number
  readonly lastOffset: number
  readonly bytes: Uint8Array
}

function* decodeRows(rows: Iterable<BatchRow>, partition: Partition, start: number): Generator<StoredBatch> {
  let offset = start
  try {
    for (const row of rows) {
      offset = row.baseOffset
      yield decodeRow(row, partition)
      offset = row.lastOffset + 1
    }
  } catch (error) {
    if (!isCorrupt(error)) throw error
    const difference = 'its pages in the file contradict each other'
    throw new DamagedBatchError(placeOf(partition, offset), difference, { cause: error })
  }
}

/** The offsets of a batch are not covered by its checksum: they are compared with those of its row. */
function decodeRow({ baseOffset, lastOffset, bytes }: BatchRow, partition: Partition): StoredBatch {
  const damaged = (difference: string) => new DamagedBatchError(placeOf(partition, baseOffset), difference)
  if (bytes.length < 8) throw damaged(`it has ${bytes.length} bytes`)
  const stored = new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(0)
  if (stored !== BigInt(baseOffset)) throw damaged(`it says that it begins at ${stored}`)
  const [batch, ...more] = decodeBatches(bytes, { topic: partition.topic, partition: partition.number })
  if (batch === undefined || more.length > 0 || batch.byteLength !== bytes.length) {
    throw damaged(`its length is not that of its ${bytes.length} bytes`)
  }
  if (batch.lastOffset !== BigInt(lastOffset)) throw damaged(`it says that it ends at ${batch.lastOffset}`)
  return batch
}

function placeOf({ topic, number }: Partition, offset: number): string {
  return describePlace({ topic, partition: number }, BigInt(offset))
}
