import { decodeBatches } from '../../record-batch/decode.ts'
import { batchLayout } from '../../record-batch/layout.ts'
import { damagedBatch, type StoredBatch } from '../../record-batch/stored-batch.ts'
import type { BatchRow } from './batch-rows.ts'
import { rowChecksum } from './row-checksum.ts'
import type { Storage } from './storage.ts'
import type { Partition } from './topic-rows.ts'

/** The rows of `bytes`. Changes must run in a write transaction, and return columns of the row in `batches`. */
export interface BatchBytes {
  load(partition: Partition, row: BatchRow): StoredBatch
  insert(partition: Partition, bytes: Uint8Array): BytesColumns
  update(partition: Partition, id: number, bytes: Uint8Array): BytesColumns
  remove(id: number): void
}

type BytesColumns = Pick<BatchRow, 'bytesId' | 'size' | 'batchChecksum'>

export function createBatchBytes({ database }: Storage): BatchBytes {
  const select = database.prepare('SELECT bytes FROM bytes WHERE id = ?')
  const insert = database.prepare('INSERT INTO bytes (partition, checksum, bytes) VALUES (?, ?, ?)')
  const update = database.prepare('UPDATE bytes SET checksum = ?, bytes = ? WHERE id = ?')
  const remove = database.prepare('DELETE FROM bytes WHERE id = ?')
  return {
    load(partition, row) {
      const stored = select.get(BigInt(row.bytesId)) as { bytes: unknown } | undefined
      return decode(partition, row, stored?.bytes)
    },
    insert({ id }, bytes) {
      const { lastInsertRowid } = insert.run(id, placeChecksum(id, bytes), bytes)
      return columnsOf(Number(lastInsertRowid), bytes)
    },
    update(partition, id, bytes) {
      update.run(placeChecksum(partition.id, bytes), bytes, BigInt(id))
      return columnsOf(id, bytes)
    },
    remove: (id) => void remove.run(BigInt(id)),
  }
}

function columnsOf(bytesId: number, bytes: Uint8Array): BytesColumns {
  return { bytesId, size: bytes.length, batchChecksum: checksumIn(bytes) }
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
