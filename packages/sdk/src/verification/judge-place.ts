/** What a record says about where it belongs. */
export interface Claim {
  readonly seq: number | undefined
  readonly unit: number | undefined
  readonly time: number | undefined
  readonly isRevert?: boolean
}

/** Where the records before have come to. */
export interface Reached {
  /** `undefined` where it is not known: what was before has been removed. */
  readonly nextSeq: number | undefined
  /** Records since then of which nothing says whether they have a seq. */
  readonly unplaced: number
  readonly unit: number
  readonly time: number
}

/** The claims of the records that follow, as far as there are any. */
export type Following = readonly [next: Claim | undefined, after: Claim | undefined]

export interface JudgedSeq {
  /** `undefined` where it has none: it came again, or is of another writer. */
  readonly seq: number | undefined
  readonly flaw?: 'at_unreadable' | 'seq_repeated' | 'seq_wrong'
}

/** The seq that a record has by its own claim, and where that cannot be, by the record after it. */
export function judgeSeq({ seq: found }: Claim, [next, after]: Following, { nextSeq, unplaced }: Reached): JudgedSeq {
  const following = next?.seq
  const before = following === undefined || following === 0 ? undefined : following - 1
  if (nextSeq === undefined) {
    if (found === undefined) return { seq: before, flaw: 'at_unreadable' }
    const isWrong = before !== undefined && before + 1 < found && after?.seq !== found + 2
    return isWrong ? { seq: before, flaw: 'seq_wrong' } : { seq: found }
  }
  const expected = nextSeq + unplaced
  if (found !== undefined && found >= nextSeq && found <= expected) return { seq: found }
  const flaw = found === undefined ? 'at_unreadable' : 'seq_wrong'
  if (before === expected) return { seq: expected, flaw }
  if (found === undefined) return { seq: undefined, flaw }
  if (found < nextSeq) return { seq: undefined, flaw: 'seq_repeated' }
  if (before === undefined || before + 1 >= found) return { seq: found }
  return { seq: before > expected ? before : undefined, flaw }
}

export interface JudgedUnit {
  readonly unit: number
  readonly flaw?: 'unit_went_back' | 'unit_wrong'
}

/** The unit that a record is of by its own claim, and where that cannot be, by those around it and by its time. */
export function judgeUnit(claim: Claim, [next, after]: Following, reached: Reached): JudgedUnit {
  const { unit: found, time } = claim
  const isSameTime = time === reached.time
  const unit = unitBetween(claim, reached, next)
  if (found === undefined) return { unit }
  if (found < reached.unit) return { unit, flaw: 'unit_went_back' }
  const units = { found, next: next?.unit, after: isSameTime && after?.time !== time ? undefined : after?.unit }
  return isOutlier(units, reached.unit) ? { unit, flaw: 'unit_wrong' } : { unit: found }
}

export interface JudgedTime {
  readonly time: number
  readonly flaw?: 'time_went_back' | 'time_wrong'
}

/** How far the times have come with a record: not by one that is later than those after it. */
export function judgeTime(found: number, [next, after]: Following, { time }: Reached): JudgedTime {
  if (found < time) return { time, flaw: 'time_went_back' }
  if (isOutlier({ found, next: next?.time, after: after?.time }, time)) return { time, flaw: 'time_wrong' }
  return { time: found }
}

/** Whether a number stands out: the next ones go on from those before. Where only the next one is lower, it is wrong. */
function isOutlier(
  { found, next, after }: { found: number; next?: number | undefined; after?: number | undefined },
  before: number,
): boolean {
  if (next === undefined || next >= found || next < before) return false
  return after === undefined || after < found
}

/** A unit has one time in most topics. Where times tell nothing: reverts come first in a unit, and most units have records. */
function unitBetween({ time, isRevert }: Claim, { unit: before, time: timeBefore }: Reached, next?: Claim): number {
  const after = next?.unit
  if (after === undefined || after <= before) return before
  const isTimeAfter = time === next?.time
  if ((time === timeBefore) !== isTimeAfter) return isTimeAfter ? after : before
  if (isRevert) return after
  return after > before + 1 ? before + 1 : before
}
