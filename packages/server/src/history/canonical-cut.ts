import type { RecordOrder, RevertedSeqs, SeqInterval } from '@headrace/catalog'
import type { RenderedRecord } from '../topics/served-topic.ts'
import type { CanonicalView } from './canonical-views.ts'
import type { Run } from './run.ts'

export interface Cut {
  /** The records of the run that are in the view. */
  readonly records: readonly RenderedRecord[]
  /** Where to read on: `asc` at this offset, `desc` before it. */
  readonly next: bigint
}

/** Called with the runs of one partition in order. Each must begin at `next` of the previous cut. */
export type RunCutter = (run: Run) => Cut

export interface CanonicalCutOptions {
  readonly partition: number
  readonly order: RecordOrder
  /** The offset at which the range ends in this order. */
  readonly end: bigint
}

/** Never skipped at the end of a range: their records show whether earlier ones are missing. */
const landingOffsets = 64n

/**
 * Removes the records of a partition that were reverted as of a view's head.
 *
 * A record occupies at least one offset, so within a reverted interval it skips as many offsets as there are seqs left.
 * If records are missing, this skips too far: then it goes back and skips no more.
 */
export function createCanonicalCut(view: CanonicalView, { partition, order, end }: CanonicalCutOptions): RunCutter {
  const reverted = view.reverted[partition]!
  const asOf = view.asOf[partition]!.seq
  const farthest = order === 'asc' ? end - landingOffsets : end + landingOffsets
  let skip: { readonly from: RenderedRecord; readonly back: bigint } | undefined
  let maySkip = true
  return (run) => {
    if (skip && isTooFar(skip.from, order === 'asc' ? run.records[0] : run.records.at(-1))) {
      maySkip = false
      const next = skip.back
      skip = undefined
      return { records: [], next }
    }
    if (run.records.length > 0) skip = undefined
    const records = canonicalOf(run.records, reverted, asOf)
    const behind = order === 'asc' ? run.to : run.from
    const outer = order === 'asc' ? run.records.at(-1) : run.records[0]
    const interval = maySkip && outer && outer.seq !== null ? reverted.around(outer.seq, asOf) : undefined
    if (!interval) return { records, next: behind }
    const next = nearer(endOfReverted(outer!, interval, order), farthest, order)
    if (nearer(next, behind, order) === next) return { records, next: behind }
    skip = { from: outer!, back: behind }
    return { records, next }
  }
}

function canonicalOf(
  records: readonly RenderedRecord[],
  reverted: RevertedSeqs,
  asOf: number | null,
): readonly RenderedRecord[] {
  let interval: SeqInterval | undefined
  const kept = records.filter(({ seq }) => {
    if (seq === null) return true
    if (!interval || seq > interval.last) interval = reverted.around(seq, asOf)
    return !interval
  })
  return kept.length === records.length ? records : kept
}

/** The first offset at which the interval may end. */
function endOfReverted({ offset, seq }: RenderedRecord, { first, last }: SeqInterval, order: RecordOrder): bigint {
  return order === 'asc' ? offset + BigInt(last + 1 - seq!) : offset - BigInt(seq! - first)
}

function nearer(one: bigint, other: bigint, order: RecordOrder): bigint {
  return one < other === (order === 'asc') ? one : other
}

function isTooFar(from: RenderedRecord, landed: RenderedRecord | undefined): boolean {
  if (!landed) return false
  if (landed.seq === null) return true
  const [seqs, offsets] = [landed.seq - from.seq!, Number(landed.offset - from.offset)]
  return Math.abs(seqs) > Math.abs(offsets)
}
