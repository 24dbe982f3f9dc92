import type { DeadInterval, SeqInterval } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { placeOf, type Report, type VerifyFinding } from './finding.ts'
import { type PartitionToVerify, type PlacedRecord, placeRecords, type RecordPlace } from './place-records.ts'
import type { ReadOptions } from './read-forward.ts'
import { createRevertOrder, type RevertedInterval } from './revert-order.ts'
import { createUnitEnds, type UnitEnds } from './unit-ends.ts'

/** What the headers of a partition's records say. */
export interface PartitionScan {
  readonly place: PartitionToVerify
  /** Records before `nextSeq`, those without a place included. */
  readonly records: number
  /** The highest unit of its records, 0 where there is none. */
  readonly newestUnit: number
  /** The first record after those that the checkpoint counts. */
  readonly later: { readonly seq: number; readonly unit: number } | undefined
  /** Seqs of which there is no record with a place, in order. */
  readonly absent: readonly SeqInterval[]
  readonly reverted: readonly RevertedInterval[]
  readonly ends: UnitEnds
  /** Units from `keepUnitsFrom` on that have records other than reverts. */
  readonly units: ReadonlySet<number>
}

/** Records that are missing from a partition: one contiguous range. */
export interface MissingRecords extends SeqInterval {
  /** Whether there is nothing before them. */
  readonly isBeginning: boolean
  /** The record after them; `undefined` where there is none. */
  readonly before: Pick<VerifyFinding, 'offset' | 'unit'> | undefined
}

export interface ScanOptions extends Omit<ReadOptions, 'onCut'> {
  /** What `_headrace.reorgs` tells. */
  readonly told: readonly DeadInterval[]
  readonly report: Report
  /** The first unit whose end has to be known. */
  readonly keepUnitsFrom: number
  /** Is given each range of records that are missing. */
  onMissing(missing: MissingRecords): Promise<void>
  /** Is told of units of which not every record is there, or has a place: both ends included. */
  onLost(firstUnit: number, lastUnit: number): void
  /** What is wrong with a record's time, after the time of the one before it. */
  checkTime(placed: PlacedRecord, previous: number): VerifyFinding | undefined
}

/** Reads the headers of a partition and reports what is wrong with them. What it holds in memory are intervals. */
export async function scanPartition(
  queue: Queue,
  place: PartitionToVerify,
  options: ScanOptions,
): Promise<PartitionScan> {
  const { told, report, keepUnitsFrom, onMissing, onLost, checkTime, ...reading } = options
  const { topic, partition, lastUnit, nextSeq: ending, counted } = place
  const toldHere = told.filter((interval) => interval.topic === topic && interval.partition === partition)
  const order = createRevertOrder(toldHere)
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
      if (isUnitKnown) onLost(isCut ? 1 : knownUnit, unit)
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

  /** One that does not say what it reverts is one if that is told. */
  function isRevert({ op, reverts }: PlacedRecord['headers'], seq: number): boolean {
    return op === 'revert' && (reverts !== undefined || toldHere.some(({ first, last }) => first <= seq && seq <= last))
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
  if (isUnsure) onLost(knownUnit, lastUnit)
  return { place, records, newestUnit: knownUnit, later, absent, reverted: order.intervals(), ends, units }
}

function revertFinding(
  { record, headers: { op, reverts } }: PlacedRecord,
  at: RecordPlace,
  expected: number | undefined,
): VerifyFinding | undefined {
  if (op === 'revert' && reverts === undefined) {
    const message = 'The revert does not say what it takes back.'
    return { code: 'revert_unreadable', message, ...placeOf(record, at) }
  }
  if (expected === undefined) return undefined
  const message = `The revert takes back seq ${reverts}, and seq ${expected} is the newest that stands.`
  return { code: 'revert_out_of_order', message, ...placeOf(record, at), expected, found: reverts }
}
