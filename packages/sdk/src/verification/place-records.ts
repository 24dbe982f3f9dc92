import { type RecordHeaders, readRecordHeaders } from '@headrace/catalog'
import type { Queue, QueueRecord, RecordBatch } from '@headrace/queue'
import { placeOf, type VerifyFinding } from './finding.ts'
import { type OffsetRange, type ReadOptions, readForward } from './read-forward.ts'

export interface PartitionToVerify extends OffsetRange {
  readonly nextSeq: number | undefined
  /** By the newest checkpoint and by its copy in the ring. A difference is a finding of its own. */
  readonly counted: readonly number[]
  readonly lastUnit: number
}

export interface PlacedRecord {
  readonly record: QueueRecord
  readonly headers: RecordHeaders
  /** `undefined` where its seq does not continue the sequence. */
  readonly place: RecordPlace | undefined
  readonly findings: readonly VerifyFinding[]
}

export interface RecordPlace {
  readonly seq: number
  /** Its own or, where that cannot be right, the one before; then `isUnitKnown` is false. */
  readonly unit: number
  readonly isUnitKnown: boolean
  /** Seqs since the last record with a place that have no record with a place. */
  readonly skipped: number
  /** How many of them have no record at all. */
  readonly missing: number
  /** Whether retention removed the records before it while it was read. */
  readonly isCut: boolean
  /** Of the record with a place before it, in ms; 0 for the first. */
  readonly previousTime: number
}

export interface PlaceOptions extends ReadOptions {
  /** Called at the end with the number of seqs before `nextSeq` that have no record. */
  onEnd?(missing: number): void
}

/**
 * The seq of a record in place is the next one, or a later one from which seqs continue. Any other record has no place,
 * and counts for one of the skipped seqs. Up to two records are held back.
 */
export async function* placeRecords(
  queue: Queue,
  place: PartitionToVerify,
  { onCut, onEnd, ...reading }: PlaceOptions,
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
  onEnd?.(placing.missingAtEnd())
}

interface Held {
  readonly record: QueueRecord
  readonly headers: RecordHeaders
}

type Following = readonly (RecordHeaders | undefined)[]

interface JudgedUnit {
  readonly isUnitKnown: boolean
  readonly finding?: VerifyFinding
}

type SeqFlaw = 'at_unreadable' | 'seq_repeated' | 'seq_wrong'

function createPlacing({ nextSeq, lastUnit }: PartitionToVerify) {
  const held: Held[] = []
  let next = 0
  let unit = 0
  let time = 0
  let isCut = false
  let unplaced = 0
  const early = new Set<number>()
  let wasUnitBack = false
  let lastFlaw: { readonly code: SeqFlaw; readonly seq: number | undefined } | undefined

  function placeFirst(): PlacedRecord {
    const { record, headers } = held.shift()!
    const following: Following = held.map((one) => one.headers)
    const flaw = judgeSeq(headers, following)
    if (flaw) return { record, headers, place: undefined, findings: skip(flaw, record, headers) }
    const seq = headers.seq!
    const { isUnitKnown, finding } = judgeUnit(record, headers, following)
    const isReported = wasUnitBack && finding?.code === 'unit_went_back'
    wasUnitBack = finding?.code === 'unit_went_back'
    // Reverts come first in a unit.
    unit = isUnitKnown ? headers.unit! : (headers.op === 'revert' && following[0]?.unit) || unit
    const place = { seq, unit, isUnitKnown, skipped: seq - next, missing: countMissing(seq), isCut, previousTime: time }
    time = record.time
    next = seq + 1
    unplaced = 0
    isCut = false
    lastFlaw = undefined
    return { record, headers, place, findings: finding && !isReported ? [finding] : [] }
  }

  function judgeSeq({ seq }: RecordHeaders, following: Following): SeqFlaw | undefined {
    if (seq === undefined) return 'at_unreadable'
    if (seq < next) return 'seq_repeated'
    if (seq <= next + unplaced) return undefined
    if (nextSeq !== undefined && seq > nextSeq && !isCut) return 'seq_wrong'
    const after = following.find((one) => one?.seq !== undefined)?.seq
    return after !== undefined && after <= seq ? 'seq_wrong' : undefined
  }

  /** Adjacent records with the same flaw are one finding. */
  function skip(code: SeqFlaw, record: QueueRecord, headers: RecordHeaders): VerifyFinding[] {
    const { seq } = headers
    const isSame = lastFlaw?.code === code && (seq === undefined || seq === lastFlaw.seq! + 1)
    lastFlaw = { code, seq }
    unplaced++
    if (code === 'seq_wrong') early.add(seq!)
    return isSame ? [] : [seqFinding(code, record, headers, next)]
  }

  function countMissing(seq: number): number {
    const skipped = seq - next
    if (skipped <= unplaced && !isCut) return 0
    let found = 0
    for (const other of early) {
      if (other >= seq) continue
      if (other >= next) found++
      early.delete(other)
    }
    return Math.max(0, skipped - Math.max(found, unplaced))
  }

  function judgeUnit(
    record: QueueRecord,
    { seq, unit: found }: RecordHeaders,
    [following, after]: Following,
  ): JudgedUnit {
    const at = placeOf(record, { seq, unit: found })
    const wrong = (code: string, message: string) => ({
      isUnitKnown: false,
      finding: { code, message, ...at, found },
    })
    if (found! < unit) return wrong('unit_went_back', `Unit ${found} comes after unit ${unit}.`)
    if (found! > lastUnit && (nextSeq === undefined || seq! < nextSeq))
      return wrong('unit_wrong', `Unit ${found} is after unit ${lastUnit}, the last one by the checkpoint.`)
    const isOnlyOneBack = following?.unit !== undefined && following.unit < found! && following.unit >= unit
    if (isOnlyOneBack && (after?.unit === undefined || after.unit < found!))
      return wrong('unit_wrong', `Unit ${found} is between units ${unit} and ${following.unit}.`)
    return { isUnitKnown: true }
  }

  function placeAll(): PlacedRecord[] {
    const placed: PlacedRecord[] = []
    while (held.length > 0) placed.push(placeFirst())
    return placed
  }

  return {
    /** All but the last two. */
    take(batch: RecordBatch): readonly PlacedRecord[] {
      const placed: PlacedRecord[] = []
      for (const record of batch.records()) {
        held.push({ record, headers: readRecordHeaders(record.headers) })
        if (held.length > 2) placed.push(placeFirst())
      }
      return placed
    },
    /** Those that follow were removed. */
    cut(): readonly PlacedRecord[] {
      const placed = placeAll()
      isCut = true
      return placed
    },
    end: placeAll,
    missingAtEnd: (): number => (nextSeq === undefined || nextSeq <= next ? 0 : countMissing(nextSeq)),
  }
}

function seqFinding(
  code: SeqFlaw,
  record: QueueRecord,
  { seq: found, unit }: RecordHeaders,
  expected: number,
): VerifyFinding {
  if (code === 'at_unreadable')
    return { code, message: 'The "at" header of the record is missing or cannot be decoded.', ...placeOf(record, {}) }
  const message =
    code === 'seq_repeated'
      ? `Seq ${found} is repeated, or comes too late.`
      : `Seq ${found} is at the place of seq ${expected}.`
  return { code, message, ...placeOf(record, { seq: found, unit }), expected, found }
}
