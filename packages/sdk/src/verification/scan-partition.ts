import type { Reorganisation, SeqInterval } from '@headrace/catalog'
import type { Audit } from './audit.ts'
import { placeOf, type VerifyFinding } from './finding.ts'
import type { MissingReporter } from './missing-records.ts'
import { type KnownTopic, messageTime, type PartitionToVerify } from './partitions-to-verify.ts'
import { createPlacing, type PlacedRecord, type RecordPlace } from './place-records.ts'
import { createRevertOrder, type RevertedInterval } from './revert-order.ts'

export interface PartitionScan {
  readonly place: PartitionToVerify
  /** The intervals of `_headrace.reorgs` for the partition. */
  readonly published: readonly Reorganisation[]
  /** Before `nextSeq`, including those without a place. */
  readonly records: number
  readonly newestUnit: number
  /** The first record that the checkpoint does not know. */
  readonly later: { readonly seq: number; readonly unit: number } | undefined
  /** Seqs that have no record with a place, in order. */
  readonly absent: readonly SeqInterval[]
  readonly reverted: readonly RevertedInterval[]
  readonly ends: UnitEnds
  /** From the oldest unit of the ring on, with records other than reverts. */
  readonly units: ReadonlySet<number>
}

/** Reads the headers of a partition. `publishedOfAll` has the intervals of all partitions. */
export async function scanPartition(
  audit: Audit,
  place: PartitionToVerify,
  publishedOfAll: readonly Reorganisation[],
  reportMissing: MissingReporter,
): Promise<PartitionScan> {
  const { stored, whole, report } = audit
  const { topic, partition, lastUnit, nextSeq: ending, counted } = place
  const published = publishedOfAll.filter((interval) => interval.topic === topic && interval.partition === partition)
  const order = createRevertOrder(published)
  let [records, nextSeq, knownUnit, time] = [0, 0, 0, 0]
  /** Whether a record after the last known unit has no unit or no place. */
  let isUnsure = false
  const absent: SeqInterval[] = []
  const units = new Set<number>()
  const ends = createUnitEnds(stored.oldestUnit, () => ending ?? nextSeq)

  async function take(placed: PlacedRecord): Promise<void> {
    records++
    for (const finding of placed.findings) await report(finding)
    if (!placed.place) {
      isUnsure = true
      return
    }
    const { record, headers } = placed
    const { seq, unit, isUnitKnown, skipped, missing, isCut } = placed.place
    if (skipped > 0) absent.push({ first: nextSeq, last: seq - 1 })
    if (missing > 0) {
      const before = placeOf(record, { unit: isUnitKnown ? unit : undefined })
      await reportMissing(place, { first: seq - missing, last: seq - 1, before })
    }
    if (!isUnitKnown || isUnsure || skipped > 0) {
      if (isUnitKnown) whole.exclude(isCut ? 1 : knownUnit, unit)
      isUnsure = !isUnitKnown
    }
    if (isUnitKnown) knownUnit = unit
    nextSeq = seq + 1
    const timeFinding = checkTime(place.known, placed, time)
    if (timeFinding) await report(timeFinding)
    else time = record.time
    if (isUnitKnown) ends.add({ seq, unit, time: timeFinding ? undefined : record.time })
    if (isUnitKnown && headers.op === 'append' && unit >= stored.oldestUnit) units.add(unit)
    const op = isRevert(headers, seq) ? 'revert' : 'append'
    const expected = order.take({ seq, unit, missing: skipped, op, reverts: headers.reverts })
    const finding = revertFinding(placed, placed.place, expected)
    if (finding) await report(finding)
  }

  /** A revert without `reverts` counts as one if a published interval holds it. */
  function isRevert({ op, reverts }: PlacedRecord['headers'], seq: number): boolean {
    return (
      op === 'revert' && (reverts !== undefined || published.some(({ first, last }) => first <= seq && seq <= last))
    )
  }

  const placing = createPlacing(place)
  for await (const list of placing.read(audit)) for (const placed of list) await take(placed)
  const end = placing.end()
  if (ending !== undefined && !counted.includes(nextSeq)) {
    absent.push({ first: nextSeq, last: ending - 1 })
    const missing = nextSeq === 0 || end.isCut ? ending : end.missing
    if (missing > 0) await reportMissing(place, { first: ending - missing, last: ending - 1, before: undefined })
    isUnsure ||= missing < ending
  }
  if (isUnsure) whole.exclude(knownUnit, lastUnit)
  const reverted = order.intervals()
  return { place, published, records, newestUnit: knownUnit, later: end.later, absent, reverted, ends, units }
}

/**
 * A record has the time of its message, but not before the previous record's, and not after the publishing. A revert
 * has that of the record before.
 *
 * @param previous - The time of the record before it in its partition, in ms.
 */
function checkTime(
  topic: KnownTopic | undefined,
  { record, headers, place }: PlacedRecord,
  previous: number,
): VerifyFinding | undefined {
  const { time } = record
  const wrong = (code: string, message: string, expected: number): VerifyFinding => ({
    ...{ code, message, ...placeOf(record, headers) },
    ...{ expected: new Date(expected).toISOString(), found: new Date(time).toISOString() },
  })
  if (time < previous) return wrong('time_went_back', 'The record is earlier than the one before.', previous)
  // The time of a missing record before it is not known.
  if (place!.skipped > 0) return undefined
  const isRevert = headers.reverts !== undefined
  const latest = isRevert ? previous : messageTime(topic, headers.unit ?? 0, record.value)
  if (latest === undefined || time <= latest || time === previous) return undefined
  const message = isRevert ? 'The revert is later than the record before.' : 'The record is later than its message.'
  return wrong('time_wrong', message, Math.max(latest, previous))
}

function revertFinding(
  { record, headers: { op, reverts } }: PlacedRecord,
  at: RecordPlace,
  expected: number | undefined,
): VerifyFinding | undefined {
  if (op === 'revert' && reverts === undefined) {
    const message = 'The revert does not name the seq that it reverts.'
    return { code: 'revert_unreadable', message, ...placeOf(record, at) }
  }
  if (expected === undefined) return undefined
  const message = `The revert reverts seq ${reverts}, but seq ${expected} is the newest canonical one.`
  return { code: 'revert_out_of_order', message, ...placeOf(record, at), expected, found: reverts }
}

interface UnitEnds {
  /** `time` is absent where it is wrong. */
  add(record: { readonly seq: number; readonly unit: number; readonly time: number | undefined }): void
  /** The values that the checkpoint of a unit may have for the partition. */
  after(unit: number): UnitEnd
  /** The unit of a record; that of the next one where it is not known. */
  unitOf(seq: number): number
}

interface UnitEnd {
  /** They differ where records in between are missing. */
  readonly lowest: number
  readonly highest: number
  readonly time: number | undefined
}

interface UnitSpan {
  readonly unit: number
  readonly first: number
  end: number
  time: number | undefined
}

/** Of units before `from` only the last is kept. `ending` returns the seq after the last one of the partition. */
function createUnitEnds(from: number, ending: () => number): UnitEnds {
  const spans: UnitSpan[] = []

  function firstWhere(isTrue: (span: UnitSpan) => boolean): number {
    let [low, high] = [0, spans.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isTrue(spans[middle]!)) high = middle
      else low = middle + 1
    }
    return low
  }

  return {
    add({ seq, unit, time }) {
      const newest = spans.at(-1)
      if (newest?.unit === unit && newest.end === seq) Object.assign(newest, { end: seq + 1, time })
      else {
        // To know where the next unit begins.
        if (unit <= from) spans.length = 0
        spans.push({ unit, first: seq, end: seq + 1, time })
      }
    },
    after(unit) {
      const following = firstWhere((span) => span.unit > unit)
      const last = spans[following - 1]
      const highest = spans[following]?.first ?? ending()
      if (!last) return { lowest: 0, highest, time: highest === 0 ? 0 : undefined }
      return { lowest: last.end, highest, time: last.end === highest ? last.time : undefined }
    },
    unitOf: (seq) => spans[firstWhere(({ end }) => end > seq)]?.unit ?? Number.POSITIVE_INFINITY,
  }
}
