import type { Reorganisation, SeqInterval } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { placeOf, type Report, type VerifyFinding } from './finding.ts'
import { type PartitionToVerify, type PlacedRecord, placeRecords, type RecordPlace } from './place-records.ts'
import type { ReadOptions } from './read-forward.ts'
import { createRevertOrder, type RevertedInterval } from './revert-order.ts'

export interface PartitionScan {
  readonly place: PartitionToVerify
  /** Before `nextSeq`, including those without a place. */
  readonly records: number
  readonly newestUnit: number
  readonly later: { readonly seq: number; readonly unit: number } | undefined
  /** Seqs that have no record with a place, in order. */
  readonly absent: readonly SeqInterval[]
  readonly reverted: readonly RevertedInterval[]
  readonly ends: UnitEnds
  /** From `keepUnitsFrom` on, with records other than reverts. */
  readonly units: ReadonlySet<number>
}

export interface MissingRecords extends SeqInterval {
  readonly isBeginning: boolean
  readonly before: Pick<VerifyFinding, 'offset' | 'unit'> | undefined
}

export interface ScanOptions extends Omit<ReadOptions, 'onCut'> {
  readonly published: readonly Reorganisation[]
  readonly report: Report
  readonly keepUnitsFrom: number
  onMissing(missing: MissingRecords): Promise<void>
  /** Called for units, inclusive, with a record that is missing or has no place. */
  onIncomplete(firstUnit: number, lastUnit: number): void
  checkTime(placed: PlacedRecord, previous: number): VerifyFinding | undefined
}

export async function scanPartition(
  queue: Queue,
  place: PartitionToVerify,
  options: ScanOptions,
): Promise<PartitionScan> {
  const { published, report, keepUnitsFrom, onMissing, onIncomplete, checkTime, ...reading } = options
  const { topic, partition, lastUnit, nextSeq: ending, counted } = place
  const publishedHere = published.filter((interval) => interval.topic === topic && interval.partition === partition)
  const order = createRevertOrder(publishedHere)
  let [records, nextSeq, knownUnit, time] = [0, 0, 0, 0]
  let isBeginning = true
  let isUnsure = false
  let later: PartitionScan['later']
  let missingAtEnd = 0
  const absent: SeqInterval[] = []
  const units = new Set<number>()
  const ends = createUnitEnds(keepUnitsFrom, () => ending ?? nextSeq)

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
    const before = placeOf(record, { unit: isUnitKnown ? unit : undefined })
    if (isCut) await onMissing({ first: 0, last: seq - 1, isBeginning: true, before })
    else if (missing > 0)
      await onMissing({ first: seq - missing, last: seq - 1, isBeginning: isBeginning && seq === missing, before })
    if (!isUnitKnown || isUnsure || skipped > 0) {
      if (isUnitKnown) onIncomplete(isCut ? 1 : knownUnit, unit)
      isUnsure = !isUnitKnown
    }
    if (isUnitKnown) knownUnit = unit
    isBeginning = false
    nextSeq = seq + 1
    const timeFinding = checkTime(placed, time)
    if (timeFinding) await report(timeFinding)
    else time = record.time
    if (isUnitKnown) ends.add({ seq, unit, time: timeFinding ? undefined : record.time })
    if (isUnitKnown && headers.op === 'append' && unit >= keepUnitsFrom) units.add(unit)
    const op = isRevert(headers, seq) ? 'revert' : 'append'
    const expected = order.take({ seq, unit, missing: skipped, op, reverts: headers.reverts })
    const finding = revertFinding(placed, placed.place, expected)
    if (finding) await report(finding)
  }

  /** A revert without `reverts` counts as one if a published interval holds it. */
  function isRevert({ op, reverts }: PlacedRecord['headers'], seq: number): boolean {
    return (
      op === 'revert' && (reverts !== undefined || publishedHere.some(({ first, last }) => first <= seq && seq <= last))
    )
  }

  const onCut = (): void => {
    isBeginning = true
  }
  const onEnd = (missing: number): void => {
    missingAtEnd = missing
  }
  read: for await (const list of placeRecords(queue, place, { ...reading, onCut, onEnd })) {
    for (const placed of list) {
      if (placed.place && ending !== undefined && placed.place.seq >= ending) {
        later = placed.place
        missingAtEnd = placed.place.missing - (placed.place.seq - ending)
        break read
      }
      await take(placed)
    }
  }
  if (ending !== undefined && !counted.includes(nextSeq)) {
    absent.push({ first: nextSeq, last: ending - 1 })
    if (isBeginning) await onMissing({ first: 0, last: ending - 1, isBeginning, before: undefined })
    else if (missingAtEnd > 0)
      await onMissing({ first: ending - missingAtEnd, last: ending - 1, isBeginning, before: undefined })
    isUnsure ||= !isBeginning
  }
  if (isUnsure) onIncomplete(knownUnit, lastUnit)
  return { place, records, newestUnit: knownUnit, later, absent, reverted: order.intervals(), ends, units }
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
