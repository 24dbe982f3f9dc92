import { FencedError } from '../errors.ts'
import type { Storage } from './storage.ts'

/** Who may write as which id. All within a write transaction. */
export interface WriterTable {
  /**
   * Makes a claim the one of its id and returns its epoch, which fences all earlier ones.
   *
   * @throws {FencedError} this queue made the claim before, and another has followed it.
   */
  claim(id: string, claim: string): number
  /** @throws {FencedError} the epoch is no longer the one of its id. */
  check(id: string, epoch: number): void
}

export function createWriterTable({ database }: Storage): WriterTable {
  const read = database.prepare('SELECT epoch, claim FROM writers WHERE id = ?')
  const write = database.prepare('INSERT OR REPLACE INTO writers (id, epoch, claim) VALUES (?, ?, ?)')
  const made = new Map<string, Set<string>>()

  function current(id: string): { epoch: number; claim: string } | undefined {
    return read.get(id) as { epoch: number; claim: string } | undefined
  }

  return {
    claim(id, claim) {
      const before = current(id)
      const ours = made.get(id) ?? new Set()
      // Two runs that reopen must not fence each other in turns: the newer claim wins.
      if (before !== undefined && before.claim !== claim && ours.has(claim)) throw new FencedError(id)
      const epoch = (before?.epoch ?? 0) + 1
      write.run(id, epoch, claim)
      made.set(id, ours.add(claim))
      return epoch
    },
    check(id, epoch) {
      if (current(id)?.epoch !== epoch) throw new FencedError(id)
    },
  }
}
