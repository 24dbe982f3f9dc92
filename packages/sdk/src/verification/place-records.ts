import { type RecordHeaders, readRecordHeaders } from '@headrace/catalog'
import type { Queue, QueueRecord, RecordBatch } from '@headrace/queue'
import { placeOf, type VerifyFinding } from './finding.ts'
import { type Claim, type Following, judgeSeq, judgeTime, judgeUnit, type Reached } from './judge-place.ts'
import { type PartitionStretch, type ReadOptions, readForward } from './read-forward.ts'

/** A partition that is verified. */
export interface PartitionToVerify extends PartitionStretch {
  /** The last unit to look at. */
  readonly lastUnit: number
  /** By the checkpoint: what a record after that unit is no earlier than. */
  readonly end: Claim | undefined
}

/** A record, and where it belongs. */
export interface PlacedRecord {
  readonly record: QueueRecord
  readonly headers: RecordHeaders
  /** `undefined` where it belongs nowhere: it came again, or is of another writer. */
  readonly place: RecordPlace | undefined
  /** What is wrong with its place. */
  readonly findings: readonly VerifyFinding[]
}

export interface RecordPlace {
  readonly seq: number
  readonly unit: number
  /** How many seqs before it are not there, those included that have been removed. */
  readonly missing: number
  /** Whether retention has removed, while the partition was read, what was before it. */
  readonly isCut: boolean
}

/**
 * Reads a partition and says of each record where it belongs: by its own headers and, where these cannot be right, by those
 * of its neighbours, so that one altered record is one finding. Up to two records are held until those after them are
 * there.
 */
export async function* placeRecords(
  queue: Queue,
  place: PartitionToVerify,
  { onCut, ...reading }: ReadOptions,
): AsyncGenerator<readonly PlacedRecord[], void, undefined> {
  const placing = createPlacing(place)
  let isCut = false
  const noteCut = (): void => {
    isCut = true
  }
  for await (const batch of readForward(queue, place, { ...reading, onCut: noteCut })) {
    if (isCut) {
      yield placing.cut()
      onCut?.()
      isCut = false
    }
    yield placing.take(batch)
  }
  yield isCut ? placing.cut() : placing.end()
  if (isCut) onCut?.()
}

interface Placing {
  /** Places the records before the last two. */
  take(batch: RecordBatch): readonly PlacedRecord[]
  /** Places what is left, and begins anew: what follows has been removed. */
  cut(): readonly PlacedRecord[]
  /** Places what is left. */
  end(): readonly PlacedRecord[]
}

interface Held {
  readonly record: QueueRecord
  readonly headers: RecordHeaders
  readonly claim: Claim
}

function createPlacing({ from, end }: PartitionToVerify): Placing {
  const held: Held[] = []
  // Where retention has removed nothing, seqs begin at 0.
  let reached: Reached = { nextSeq: from === 0n ? 0 : undefined, unplaced: 0, unit: 0, time: 0 }
  let isCut = false
  /** After the last one that has a place, whatever has been removed since. */
  let seqAfter: number | undefined

  function placeFirst(last: Claim | undefined): PlacedRecord {
    const { record, headers, claim } = held.shift()!
    const next = held[0]?.claim ?? last
    const following: Following = [next, held[0] && (held[1]?.claim ?? last)]
    const { seq, flaw } = judgeSeq(claim, following, reached)
    const { unit, ...judged } = judgeUnit(claim, following, reached)
    const found: VerifyFinding[] = []
    if (flaw) found.push(seqFinding(flaw, { record, claim }, reached, seq))
    if (seq === undefined) {
      if (flaw === 'at_unreadable') reached = { ...reached, unplaced: reached.unplaced + 1 }
      return { record, headers, place: undefined, findings: found }
    }
    const at = placeOf(record, { seq, unit })
    const lost = reached.nextSeq === undefined ? 0 : seq - reached.nextSeq - reached.unplaced
    if (lost > 0) found.push(missing(at, lost, seq))
    if (judged.flaw) found.push(unitFinding(judged.flaw, at, claim, reached, next))
    const { time, flaw: timeFlaw } = judgeTime(record.time, following, reached)
    if (timeFlaw)
      found.push(timeFinding(timeFlaw, at, record.time, timeFlaw === 'time_wrong' ? next!.time! : reached.time))
    const place = { seq, unit, missing: Math.max(0, seq - (seqAfter ?? seq)), isCut }
    reached = { nextSeq: seq + 1, unplaced: 0, unit, time }
    seqAfter = seq + 1
    isCut = false
    return { record, headers, place, findings: found }
  }

  function placeAll(last: Claim | undefined): PlacedRecord[] {
    const placed: PlacedRecord[] = []
    while (held.length > 0) placed.push(placeFirst(last))
    return placed
  }

  return {
    take(batch) {
      const placed: PlacedRecord[] = []
      for (const record of batch.records()) {
        const headers = readRecordHeaders(record.headers)
        const { seq, unit, op } = headers
        held.push({ record, headers, claim: { seq, unit, time: record.time, isRevert: op === 'revert' } })
        if (held.length > 2) placed.push(placeFirst(undefined))
      }
      return placed
    },
    cut() {
      const placed = placeAll(undefined)
      reached = { ...reached, nextSeq: undefined, unplaced: 0 }
      isCut = true
      return placed
    },
    end: () => placeAll(end),
  }
}

function seqFinding(
  code: 'at_unreadable' | 'seq_repeated' | 'seq_wrong',
  { record, claim: { seq: found, unit } }: Pick<Held, 'record' | 'claim'>,
  { nextSeq }: Reached,
  seq: number | undefined,
): VerifyFinding {
  if (code === 'at_unreadable')
    return { code, message: 'The record has no header "at" that can be read.', ...placeOf(record, {}) }
  const expected = seq ?? nextSeq
  const message =
    code === 'seq_repeated'
      ? `Seq ${found} comes again, or too late.`
      : `Seq ${found} is where seq ${expected} belongs.`
  return { code, message, ...placeOf(record, { seq: found, unit }), expected, found }
}

type Place = ReturnType<typeof placeOf>

function missing(at: Place, count: number, seq: number): VerifyFinding {
  const message = count === 1 ? 'The record before is missing.' : `The ${count} records before are missing.`
  return { code: 'seq_missing', message, ...at, expected: seq - count, found: seq }
}

function unitFinding(
  code: 'unit_went_back' | 'unit_wrong',
  at: Place,
  { unit: found }: Claim,
  { unit: expected }: Reached,
  next: Claim | undefined,
): VerifyFinding {
  const message =
    code === 'unit_wrong'
      ? `Unit ${found} stands between units ${expected} and ${next?.unit}.`
      : `Unit ${found} comes after unit ${expected}.`
  return { code, message, ...at, expected: at.unit, found }
}

function timeFinding(code: 'time_went_back' | 'time_wrong', at: Place, time: number, other: number): VerifyFinding {
  const message = `The record is ${code === 'time_wrong' ? 'later than the one after' : 'earlier than the one before'}.`
  const [expected, found] = [new Date(other).toISOString(), new Date(time).toISOString()]
  return { code, message, ...at, expected, found }
}
