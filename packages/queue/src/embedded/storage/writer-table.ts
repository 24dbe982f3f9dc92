import { DamagedStorageError, FencedError } from '../../errors.ts'
import { rowChecksum } from './row-checksum.ts'
import type { Storage } from './storage.ts'
import type { WriteLock } from './write-lock.ts'

/** Who may write as which id. */
export interface WriterTable {
  /**
   * Makes a claim the one of its id, with an epoch that fences all earlier ones.
   *
   * @throws {FencedError} this queue made the claim before, and another has followed it.
   */
  claim(id: string, claim: string): Promise<ClaimedEpoch>
  /**
   * Within a write transaction.
   *
   * @throws {FencedError} the epoch is no longer the one of its id.
   */
  check(id: string, claimed: ClaimedEpoch): void
  /**
   * Who may write now.
   *
   * @throws {DamagedStorageError}
   */
  current(id: string): ClaimedEpoch | undefined
}

/** Who may write: an id's newest claim, and how often it has been claimed. */
export interface ClaimedEpoch {
  readonly epoch: number
  readonly claim: string
}

export function createWriterTable({ database, file }: Storage, lock: WriteLock): WriterTable {
  const read = database.prepare('SELECT epoch, claim, checksum FROM writers WHERE id = ?')
  const write = database.prepare('INSERT OR REPLACE INTO writers VALUES (?, ?, ?, ?)')
  const remembered = lock.remember<string, ClaimedEpoch>()
  const claims = new Map<string, Set<string>>()

  function current(id: string): ClaimedEpoch | undefined {
    const row = read.get(id) as (ClaimedEpoch & { checksum: number }) | undefined
    if (row !== undefined && row.checksum !== rowChecksum([id, row.epoch, row.claim])) {
      throw new DamagedStorageError(file, `The row of the writer "${id}" does not match its checksum`)
    }
    return row
  }

  return {
    async claim(id, claim) {
      const ours = claims.get(id) ?? new Set()
      const claimed = await lock.run(() => {
        const before = current(id)
        // Two runs that reopen must not fence each other in turns: the newer claim wins.
        if (before !== undefined && before.claim !== claim && ours.has(claim)) throw new FencedError(id)
        const epoch = (before?.epoch ?? 0) + 1
        write.run(id, epoch, claim, rowChecksum([id, epoch, claim]))
        remembered.delete(id)
        return { epoch, claim }
      })
      claims.set(id, ours.add(claim))
      return claimed
    },
    check(id, { epoch, claim }) {
      const now = remembered.get(id) ?? current(id)
      if (now?.epoch !== epoch || now.claim !== claim) throw new FencedError(id)
      remembered.set(id, now)
    },
    current,
  }
}
