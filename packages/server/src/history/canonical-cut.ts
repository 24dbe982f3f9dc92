import type { DeadSeqs, RecordOrder, SeqInterval } from '@headrace/catalog'
import type { RenderedRecord } from '../topics/served-topic.ts'
import type { CanonicalView } from './canonical-views.ts'
import type { Run } from './run.ts'

/** What of a run a reader is shown. */
export interface Cut {
  readonly records: readonly RenderedRecord[]
  /** Where to read on: `asc` at this offset, `desc` before it. */
  readonly next: bigint
}

/** Takes the runs of one partition one after the other, each read from where the cut before it said. */
export type RunCutter = (run: Run) => Cut

export interface CanonicalCutOptions {
  readonly partition: number
  readonly order: RecordOrder
  /** Offset at which the range ends, in this order. */
  readonly end: bigint
}

/** So many at the end of a range are always read: what is met there shows whether records are missing before it. */
const landingOffsets = 64n

/**
 * Cuts the records out of a partition that had been taken back as of a view's head.
 *
 * A record takes at least one offset. So the rest of a dead interval takes at least as many as it has seqs left, and
 * they are passed over unread. That is not so where records are missing from the log: then it goes back and passes over
 * nothing more.
 */
export function createCanonicalCut(view: CanonicalView, { partition, order, end }: CanonicalCutOptions): RunCutter {
  const dead = view.dead[partition]!
  const asOf = view.asOf[partition]!.seq
  const farthest = order === 'asc' ? end - landingOffsets : end + landingOffsets
  let leap: { readonly from: RenderedRecord; readonly back: bigint } | undefined
  let mayLeap = true
  return (run) => {
    if (leap && isTooFar(leap.from, order === 'asc' ? run.records[0] : run.records.at(-1))) {
      mayLeap = false
      const next = leap.back
      leap = undefined
      return { records: [], next }
    }
    if (run.records.length > 0) leap = undefined
    const records = standing(run.records, dead, asOf)
    const behind = order === 'asc' ? run.to : run.from
    const outer = order === 'asc' ? run.records.at(-1) : run.records[0]
    const interval = mayLeap && outer && outer.seq !== null ? dead.around(outer.seq, asOf) : undefined
    if (!interval) return { records, next: behind }
    const next = nearer(endOfDead(outer!, interval, order), farthest, order)
    if (nearer(next, behind, order) === next) return { records, next: behind }
    leap = { from: outer!, back: behind }
    return { records, next }
  }
}

function standing(records: readonly RenderedRecord[], dead: DeadSeqs, asOf: number | null): readonly RenderedRecord[] {
  let interval: SeqInterval | undefined
  const kept = records.filter(({ seq }) => {
    if (seq === null) return true
    if (!interval || seq > interval.last) interval = dead.around(seq, asOf)
    return !interval
  })
  return kept.length === records.length ? records : kept
}

/** The offset that nothing outside the interval lies before, going on from a record in it. */
function endOfDead({ offset, seq }: RenderedRecord, { first, last }: SeqInterval, order: RecordOrder): bigint {
  return order === 'asc' ? offset + BigInt(last + 1 - seq!) : offset - BigInt(seq! - first)
}

function nearer(one: bigint, other: bigint, order: RecordOrder): bigint {
  return one < other === (order === 'asc') ? one : other
}

/** Whether between two records there are more seqs than offsets. */
function isTooFar(from: RenderedRecord, landed: RenderedRecord | undefined): boolean {
  if (!landed) return false
  if (landed.seq === null) return true
  const [seqs, offsets] = [landed.seq - from.seq!, Number(landed.offset - from.offset)]
  return Math.abs(seqs) > Math.abs(offsets)
}
