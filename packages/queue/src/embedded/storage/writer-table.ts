import { hostname } from 'node:os'
import { decodeClaim, encodeClaim } from '../../claim.ts'
import { FencedError } from '../../errors.ts'
import type { WriteLock } from './write-lock.ts'
import type { WriterRow, WriterRows } from './writer-rows.ts'

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

/** Who may write. */
export type ClaimedEpoch = Pick<WriterRow, 'epoch' | 'claim'>

export function createWriterTable(rows: WriterRows, lock: WriteLock): WriterTable {
  const remembered = lock.remember<string, ClaimedEpoch>()
  const claims = new Map<string, Set<string>>()

  return {
    async claim(id, claim) {
      const ours = claims.get(id) ?? new Set()
      const claimed = await lock.run(() => {
        const before = rows.get(id)
        // Two runs that reopen must not fence each other in turns: the newer claim wins.
        const newest = before && decodeClaim(before.claim)
        if (newest && newest.claim !== claim && ours.has(claim)) throw new FencedError(id, { by: newest })
        const claimed = {
          epoch: (before?.epoch ?? 0) + 1,
          claim: encodeClaim({ claim, host: hostname(), time: Date.now() }),
        }
        rows.put({ id, ...claimed })
        remembered.delete(id)
        return claimed
      })
      claims.set(id, ours.add(claim))
      return claimed
    },
    check(id, { epoch, claim }) {
      const now = remembered.get(id) ?? rows.get(id)
      if (now?.epoch !== epoch || now.claim !== claim) throw new FencedError(id, { by: now && decodeClaim(now.claim) })
      remembered.set(id, now)
    },
    current: rows.get,
  }
}
