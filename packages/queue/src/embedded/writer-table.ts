import { FencedError } from '../errors.ts'
import type { Storage } from './storage.ts'
import type { WriteLock } from './write-lock.ts'

/** Who may write as which id. */
export interface WriterTable {
  /**
   * Makes a claim the one of its id and returns its epoch, which fences all earlier ones.
   *
   * @throws {FencedError} this queue made the claim before, and another has followed it.
   */
  claim(id: string, claim: string): Promise<number>
  /**
   * Within a write transaction.
   *
   * @throws {FencedError} the epoch is no longer the one of its id.
   */
  check(id: string, epoch: number): void
}

export function createWriterTable({ database }: Storage, lock: WriteLock): WriterTable {
  const read = database.prepare('SELECT epoch, claim FROM writers WHERE id = ?')
  const write = database.prepare('INSERT OR REPLACE INTO writers (id, epoch, claim) VALUES (?, ?, ?)')
  const claims = new Map<string, Set<string>>()

  function current(id: string): { epoch: number; claim: string } | undefined {
    return read.get(id) as { epoch: number; claim: string } | undefined
  }

  return {
    async claim(id, claim) {
      const ours = claims.get(id) ?? new Set()
      const epoch = await lock.run(() => {
        const before = current(id)
        // Two runs that reopen must not fence each other in turns: the newer claim wins.
        if (before !== undefined && before.claim !== claim && ours.has(claim)) throw new FencedError(id)
        write.run(id, (before?.epoch ?? 0) + 1, claim)
        return (before?.epoch ?? 0) + 1
      })
      claims.set(id, ours.add(claim))
      return epoch
    },
    check(id, epoch) {
      if (current(id)?.epoch !== epoch) throw new FencedError(id)
    },
  }
}
