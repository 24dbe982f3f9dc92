import type { RecordOrder } from '../record-order/merge-partitions.ts'
import type { PartitionPlace } from './cursor.ts'
import type { RecordPlace } from './reader-position.ts'

/**
 * Finds `skipped`: how many records of its partition lie between a record and the one before it that the reader got, or
 * the reader's start.
 */
export interface Skips {
  /** For each partition, the seq of the record after the last one that the reader got. `null`: not known. */
  readonly next: (number | null)[]
  leaveOut(record: RecordPlace): void
  /** `undefined`: the record has no seq. */
  take(record: RecordPlace): number | undefined
}

export interface SkipsOptions {
  readonly start: readonly PartitionPlace[]
  readonly order: RecordOrder
  /**
   * Counts what was left out, so that a missing record shows. Otherwise the seqs tell, as in the canonical view, which
   * does not read all that was reverted.
   */
  readonly counts: boolean
}

export function createSkips({ start, order, counts }: SkipsOptions): Skips {
  const step = order === 'asc' ? 1 : -1
  const next = start.map(({ seq }) => (seq === null || order === 'asc' ? seq : seq - 1))
  const leftOut = start.map(() => 0)
  return {
    next,
    leaveOut({ partition, seq }) {
      next[partition] ??= seq
      leftOut[partition]!++
    },
    take({ partition, seq }) {
      if (seq === null) return undefined
      const skipped = counts ? leftOut[partition]! : Math.abs(seq - (next[partition] ?? seq))
      leftOut[partition] = 0
      next[partition] = seq + step
      return skipped
    },
  }
}

/** For each partition, the seq that the next record has, if it is known. */
export function nextSeqsOf(places: readonly PartitionPlace[], order: RecordOrder = 'asc'): (string | null)[] {
  return places.map(({ seq }) => {
    if (seq === null || order === 'asc') return seq === null ? null : `${seq}`
    return seq === 0 ? null : `${seq - 1}`
  })
}
