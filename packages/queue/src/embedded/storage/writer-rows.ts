import { DamagedStorageError } from '../../errors.ts'
import { rowChecksum } from './row-checksum.ts'
import type { Storage } from './storage.ts'

export interface WriterRow {
  readonly id: string
  /** How often the id has been claimed. */
  readonly epoch: number
  /** The newest claim, as `encodeClaim` writes it. */
  readonly claim: string
}

/** The rows of `writers`. */
export interface WriterRows {
  /** @throws {DamagedStorageError} the row does not match its checksum. */
  get(id: string): WriterRow | undefined
  /** All that match their checksum. */
  intact(): WriterRow[]
  /** Within a write transaction. */
  put(row: WriterRow): void
}

export function createWriterRows({ database, file }: Storage): WriterRows {
  const select = 'SELECT id, epoch, claim, checksum FROM writers'
  const selectOne = database.prepare(`${select} WHERE id = ?`)
  const selectAll = database.prepare(select)
  const replace = database.prepare('INSERT OR REPLACE INTO writers VALUES (?, ?, ?, ?)')

  return {
    get(id) {
      const row = selectOne.get(id) as Sealed | undefined
      if (row !== undefined && !isIntact(row))
        throw new DamagedStorageError(file, `The row of the writer "${id}" does not match its checksum`)
      return row
    },
    intact: () => (selectAll.all() as unknown as Sealed[]).filter(isIntact),
    put: (row) => void replace.run(row.id, row.epoch, row.claim, checksumOf(row)),
  }
}

type Sealed = WriterRow & { readonly checksum: number }

function isIntact(row: Sealed): boolean {
  return row.checksum === checksumOf(row)
}

function checksumOf({ id, epoch, claim }: WriterRow): number {
  return rowChecksum([id, epoch, claim])
}
