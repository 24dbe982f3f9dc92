import type { DatabaseSync } from 'node:sqlite'
import { decodeBatches } from '../../record-batch/decode.ts'
import type { StoredBatch } from '../../record-batch/stored-batch.ts'
import { type BatchRow, decode, placeChecksum } from '../storage/batch-rows.ts'
import type { Partition } from '../storage/topic-rows.ts'
import { attempt, readableIds } from './damaged-pages.ts'

export interface FoundBatch {
  readonly bytes: Uint8Array
  readonly batch: StoredBatch
}

/** Finds batches whose bytes match their checksum. Their place is stored twice: next to the bytes and in `batches`. */
export interface StoredBatches {
  /** A batch may occur twice. */
  byPlace(): Generator<FoundBatch & { readonly partitionId: number }, void, undefined>
  /** @throws {DamagedBatchError} */
  byRow(partition: Partition, row: BatchRow): FoundBatch & { readonly placeDamage?: string }
}

export function createStoredBatches(database: DatabaseSync): StoredBatches {
  const select = database.prepare('SELECT partition, checksum, bytes FROM bytes WHERE id = ?')
  const get = (id: bigint) => select.get(id) as BytesRow | undefined

  return {
    *byPlace() {
      for (const id of readableIds(database, 'bytes')) {
        const found = attempt(() => confirmPlace(get(id))).value
        if (found !== undefined) yield found
      }
    },
    byRow(partition, row) {
      const stored = get(BigInt(row.bytesId))
      const batch = decode(partition, row, stored?.bytes)
      const { partition: id, checksum, bytes } = stored as BytesRow<Uint8Array>
      if (id !== partition.id) return { batch, bytes, placeDamage: `the row of its bytes has partition ${id}` }
      if (checksum === placeChecksum(id, bytes)) return { batch, bytes }
      return { batch, bytes, placeDamage: 'the checksum in the row of its bytes is wrong' }
    },
  }
}

interface BytesRow<Bytes = unknown> {
  readonly partition: number
  readonly checksum: number
  readonly bytes: Bytes
}

function confirmPlace(row: BytesRow | undefined): (FoundBatch & { partitionId: number }) | undefined {
  if (!(row?.bytes instanceof Uint8Array)) return undefined
  const { partition, checksum, bytes } = row
  const [batch] = decodeBatches(bytes, { topic: '', partition })
  if (batch === undefined || batch.byteLength !== bytes.length) return undefined
  return placeChecksum(partition, bytes) === checksum ? { partitionId: partition, bytes, batch } : undefined
}
