import { expect } from 'vitest'
import type { RecordJson } from './shapes.ts'

/** Follows the seqs of one reading with a filter, as a client does that wants to know that it missed nothing. */
export interface SkipCheck {
  take(records: readonly RecordJson[]): void
  /** Everything before these seqs was sent or left out. */
  cover(nextSeqs: readonly (string | null)[]): void
  /** A page or a subscription begins at these seqs. */
  begin(nextSeqs: readonly (string | null)[]): void
}

export function createSkipCheck(order: 'asc' | 'desc' = 'asc'): SkipCheck {
  const step = order === 'asc' ? 1 : -1
  const covered = new Map<number, number>()
  const counted = new Map<number, number>()
  return {
    take(records) {
      for (const { partition, seq, skipped } of records) {
        const start = counted.get(partition)
        if (start !== undefined) expect(Number(seq)).toBe(start + skipped! * step)
        counted.set(partition, Number(seq) + step)
        covered.set(partition, Number(seq) + step)
      }
    },
    cover(nextSeqs) {
      for (const [partition, seq] of nextSeqs.entries()) if (seq !== null) covered.set(partition, Number(seq))
    },
    begin(nextSeqs) {
      for (const [partition, seq] of nextSeqs.entries()) {
        if (seq === null) continue
        // The cursor of a record is also behind what was left out of other partitions.
        const next = covered.get(partition) ?? Number(seq)
        if (nextSeqs.length === 1) expect(Number(seq)).toBe(next)
        else expect((Number(seq) - next) * step).toBeGreaterThanOrEqual(0)
        counted.set(partition, Number(seq))
      }
    },
  }
}
