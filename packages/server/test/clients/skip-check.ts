import { expect } from 'vitest'
import type { RecordJson } from './shapes.ts'

/** Follows the seqs of one reading with a filter, as a client does that wants to know that it missed nothing. */
export interface SkipCheck {
  take(records: readonly RecordJson[]): void
  moveTo(nextSeqs: readonly (string | null)[]): void
}

export function createSkipCheck(order: 'asc' | 'desc' = 'asc'): SkipCheck {
  const step = order === 'asc' ? 1 : -1
  const next = new Map<number, number>()
  return {
    take(records) {
      for (const { partition, seq, skipped } of records) {
        const expected = next.get(partition)
        if (expected !== undefined) expect(Number(seq)).toBe(expected + skipped! * step)
        next.set(partition, Number(seq) + step)
      }
    },
    moveTo(nextSeqs) {
      for (const [partition, seq] of nextSeqs.entries()) if (seq !== null) next.set(partition, Number(seq))
    },
  }
}
