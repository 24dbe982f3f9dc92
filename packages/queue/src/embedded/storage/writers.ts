import { hostname } from 'node:os'
import { decodeClaim, encodeClaim } from '../../claim.ts'
import { DamagedStorageError, FencedError } from '../../errors.ts'
import { rowChecksum } from './row-checksum.ts'
import type { Storage } from './storage.ts'
import type { WriteLock } from './write-lock.ts'

export interface WriterRow {
  readonly id: string
  readonly epoch: number
  readonly claim: string
}

export interface WriterRows {
  /** @throws {DamagedStorageError} the row does not match its checksum. */
  get(id: string): WriterRow | undefined
  intact(): WriterRow[]
  put(row: WriterRow): void
}

export interface WriterTable {
  /** @throws {FencedError} this queue made the claim before, and another claim has followed it. */
  claim(id: string, claim: string): Promise<WriterRow>
  /** Must run in a write transaction. */
  check(claimed: WriterRow): void
}

export function createWriterTable(rows: WriterRows, lock: WriteLock): WriterTable {
  const cache = lock.createCache<string, WriterRow>()
  const claims = new Set<string>()

  return {
    async claim(id, claim) {
      const claimKey = JSON.stringify([id, claim])
      const claimed = await lock.run(() => {
        const before = rows.get(id)
        // Two runs that open their writer again must not fence each other in turn: the newer claim wins.
        const newest = before && decodeClaim(before.claim)
        if (newest && newest.claim !== claim && claims.has(claimKey)) throw new FencedError(id, { by: newest })
        const stored = encodeClaim({ claim, host: hostname(), time: Date.now() })
        const claimed = { id, epoch: (before?.epoch ?? 0) + 1, claim: stored }
        rows.put(claimed)
        cache.delete(id)
        return claimed
      })
      claims.add(claimKey)
      return claimed
    },
    check({ id, epoch, claim }) {
      const current = cache.get(id) ?? rows.get(id)
      if (current?.epoch !== epoch || current.claim !== claim) {
        throw new FencedError(id, { by: current && decodeClaim(current.claim) })
      }
      cache.set(id, current)
    },
  }
}

export function createWriterRows({ database, file }: Storage): WriterRows {
  const select = 'SELECT id, epoch, claim, checksum FROM writers'
  const selectOne = database.prepare(`${select} WHERE id = ?`)
  const selectAll = database.prepare(select)
  const replace = database.prepare('INSERT OR REPLACE INTO writers VALUES (?, ?, ?, ?)')

  return {
    get(id) {
      const row = selectOne.get(id) as WithChecksum | undefined
      if (row !== undefined && !isIntact(row))
        throw new DamagedStorageError(file, `The row of the writer "${id}" does not match its checksum`)
      return row
    },
    intact: () => (selectAll.all() as unknown as WithChecksum[]).filter(isIntact),
    put: (row) => void replace.run(row.id, row.epoch, row.claim, checksumOf(row)),
  }
}

type WithChecksum = WriterRow & { readonly checksum: number }

function isIntact(row: WithChecksum): boolean {
  return row.checksum === checksumOf(row)
}

function checksumOf({ id, epoch, claim }: WriterRow): number {
  return rowChecksum([id, epoch, claim])
}
