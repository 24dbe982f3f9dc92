import { createRevertedSeqs, type RevertedSeqs } from '@headrace/catalog'

export interface RevertedInterval {
  /** The lowest reverted seq, and the seq of the last revert. */
  readonly first: number
  readonly last: number
  readonly unit: number
}

export interface OrderedRecord {
  readonly seq: number
  readonly unit: number
  readonly op: 'append' | 'revert'
  readonly reverts?: number | undefined
  readonly missing: number
}

/** Memory grows with intervals, not with records. */
export interface RevertOrder {
  /** For a wrong revert it returns the seq that should have been reverted. */
  take(record: OrderedRecord): number | undefined
  intervals(): readonly RevertedInterval[]
}

interface Run {
  readonly unit: number
  first: number
  last: number
  next: number
  /** After a wrong revert: the seq before the one that it names. */
  orElse: number | undefined
}

/**
 * A revert reverts the newest canonical record, so the reverts of a unit go backwards and skip reverted records.
 * `published` intervals are accepted where reverts are missing.
 */
export function createRevertOrder(published: readonly RevertedInterval[]): RevertOrder {
  const intervals: RevertedInterval[] = []
  const reverted = createRevertedSeqs()
  const absent = createRevertedSeqs()
  let run: Run | undefined
  let firstSeq: number | undefined

  function end(lost: readonly RevertedInterval[]): void {
    const ended = lost.filter(({ unit }) => unit !== run?.unit)
    if (run) {
      const rest = lost.find(({ unit }) => unit === run?.unit) ?? run
      ended.unshift({ first: Math.min(run.first, rest.first), last: rest.last, unit: run.unit })
    }
    for (const { first, last, unit } of ended) {
      intervals.push({ first, last, unit })
      reverted.add({ first, last })
    }
    run = undefined
  }

  return {
    take({ seq, unit, op, reverts, missing }) {
      firstSeq ??= seq
      if (missing > 0) absent.add({ first: seq - missing, last: seq - 1 })
      if (op === 'append' || run?.unit !== unit)
        end(missing > 0 ? published.filter(({ last }) => last >= seq - missing && last < seq) : [])
      if (op === 'append') return undefined
      const before = (other: number): number => newestBefore(other, reverted, absent)
      run ??= { unit, first: seq, last: seq, next: before(seq), orElse: undefined }
      let expected = reverts !== undefined && reverts === run.orElse ? reverts : run.next
      // The missing records may be reverts.
      for (let left = missing; left > 0 && reverts !== undefined && reverts < expected; left--)
        expected = before(expected)
      // The reverted record is missing, so its order cannot be checked.
      const isGone = reverts !== undefined && (reverts < firstSeq || absent.around(reverts, null) !== undefined)
      const isRight = reverts === undefined || reverts === expected || isGone
      const taken = isRight ? (reverts ?? expected) : expected
      run.first = Math.min(run.first, taken)
      run.last = seq
      run.next = before(taken)
      run.orElse = isRight ? undefined : before(reverts)
      return isRight ? undefined : expected
    },
    intervals() {
      end([])
      return intervals
    },
  }
}

function newestBefore(seq: number, reverted: RevertedSeqs, absent: RevertedSeqs): number {
  for (let before = seq - 1; ; ) {
    const passed = reverted.around(before, null) ?? absent.around(before, null)
    if (!passed) return before
    before = passed.first - 1
  }
}
