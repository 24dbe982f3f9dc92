import { type RecordHeaders, readRecordHeaders } from '@headrace/catalog'
import { type PositionLostError, type Queue, type QueueRecord, type RecordBatch, readRange } from '@headrace/queue'
import type { Audit } from './audit.ts'
import { placeOf, type VerifyFinding } from './finding.ts'
import type { PartitionToVerify } from './partitions-to-verify.ts'

export interface PlacedRecord {
  readonly record: QueueRecord
  readonly headers: RecordHeaders
  /** `undefined` if the seq of the record does not continue the sequence. */
  readonly place: RecordPlace | undefined
  readonly findings: readonly VerifyFinding[]
}

export interface RecordPlace extends Gap {
  readonly seq: number
  /** The unit in the record. If it cannot be correct, that of the record before, and `isUnitKnown` is false. */
  readonly unit: number
  readonly isUnitKnown: boolean
  /** Seqs since the last record with a place that have no record with a place. */
  readonly skipped: number
  /** Time of the previous record with a place, in ms; 0 for the first. */
  readonly previousTime: number
}

interface Gap {
  /** How many of the seqs before have no record at all. */
  readonly missing: number
  /** Whether retention removed the records before while they were read. Then all of them are missing. */
  readonly isCut: boolean
}

export interface Placing {
  /**
   * Waits for open transactions, and skips lost and removed records. It ends before the first record that the
   * checkpoint does not know.
   */
  read(audit: Pick<Audit, 'queue' | 'signal' | 'onRead'>): AsyncGenerator<readonly PlacedRecord[], void, undefined>
  /** After the last record: what is missing before `nextSeq`, and the first record that the checkpoint does not know. */
  end(): Gap & { readonly later: RecordPlace | undefined }
}

type Following = readonly (RecordHeaders | undefined)[]

type SeqFlaw = 'at_unreadable' | 'seq_repeated' | 'seq_wrong'

/**
 * The seq of a record in place is the next one, or a later one from which seqs continue. Any other record has no place,
 * and counts for one of the skipped seqs. Up to two records are held back.
 */
export function createPlacing({ topic, partition, from, upTo, nextSeq, lastUnit }: PartitionToVerify): Placing {
  const held: Pick<PlacedRecord, 'record' | 'headers'>[] = []
  let next = 0
  let unit = 0
  let time = 0
  let isCut = false
  let removedUpTo: bigint | undefined
  let later: RecordPlace | undefined
  let unplaced = 0
  const early = new Set<number>()
  let wasUnitBack = false
  let lastFlaw: { readonly code: SeqFlaw; readonly seq: number | undefined } | undefined

  async function* read({ queue, signal, onRead }: Parameters<Placing['read']>[0]): ReturnType<Placing['read']> {
    let passed = from
    const onRemoved = ({ earliest }: PositionLostError): void => {
      removedUpTo = earliest
    }
    for await (const batch of readRange(queue, { topic, partition, from, to: upTo }, { signal, onRemoved })) {
      yield await placeBeforeRemoved(queue)
      yield placeBatch(batch)
      if (later) return
      onRead(Number(batch.nextOffset - passed))
      passed = batch.nextOffset
    }
    yield await placeBeforeRemoved(queue)
    yield placeHeld(0)
    if (!later) onRead(Number(upTo - passed))
  }

  /** Places the held records where retention has removed those that follow. */
  async function placeBeforeRemoved(queue: Queue): Promise<readonly PlacedRecord[]> {
    if (removedUpTo === undefined) return []
    const [description] = await queue.describe([topic])
    // Where a damaged file has lost a range, earlier records are still there.
    const isRemoved = (description?.partitions[partition]?.earliest ?? 0n) >= removedUpTo
    removedUpTo = undefined
    if (!isRemoved) return []
    const placed = placeHeld(0)
    isCut = true
    return placed
  }

  function placeBatch(batch: RecordBatch): readonly PlacedRecord[] {
    const placed: PlacedRecord[] = []
    for (const record of batch.records()) {
      held.push({ record, headers: readRecordHeaders(record.headers) })
      placeHeld(2, placed)
      if (later) break
    }
    return placed
  }

  /** Places all but the last `kept` ones. */
  function placeHeld(kept: number, placed: PlacedRecord[] = []): readonly PlacedRecord[] {
    while (held.length > kept && !later) {
      const one = placeFirst()
      if (nextSeq !== undefined && one.place && one.place.seq >= nextSeq) later = one.place
      else placed.push(one)
    }
    return placed
  }

  function placeFirst(): PlacedRecord {
    const { record, headers } = held.shift()!
    const following: Following = held.map((one) => one.headers)
    const flaw = judgeSeq(headers, following)
    if (flaw) return { record, headers, place: undefined, findings: skip(flaw, record, headers) }
    const seq = headers.seq!
    const unitFinding = judgeUnit(record, headers, following)
    const isUnitBack = unitFinding?.code === 'unit_went_back'
    const isReported = wasUnitBack && isUnitBack
    wasUnitBack = isUnitBack
    const isUnitKnown = unitFinding === undefined
    // Reverts come first in a unit.
    unit = isUnitKnown ? headers.unit! : (headers.op === 'revert' && following[0]?.unit) || unit
    const missing = isCut ? seq : countMissing(seq)
    const place = { seq, unit, isUnitKnown, skipped: seq - next, missing, isCut, previousTime: time }
    time = record.time
    next = seq + 1
    unplaced = 0
    isCut = false
    lastFlaw = undefined
    return { record, headers, place, findings: unitFinding && !isReported ? [unitFinding] : [] }
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
    if (skipped <= unplaced) return 0
    let found = 0
    for (const other of early) {
      if (other >= seq) continue
      if (other >= next) found++
      early.delete(other)
    }
    return Math.max(0, skipped - Math.max(found, unplaced))
  }

  /** Returns why the unit cannot be right. */
  function judgeUnit(
    record: QueueRecord,
    { seq, unit: found }: RecordHeaders,
    [following, after]: Following,
  ): VerifyFinding | undefined {
    const wrong = (code: string, message: string) => ({
      code,
      message,
      ...placeOf(record, { seq, unit: found }),
      found,
    })
    if (found! < unit) return wrong('unit_went_back', `Unit ${found} comes after unit ${unit}.`)
    if (found! > lastUnit && (nextSeq === undefined || seq! < nextSeq))
      return wrong('unit_wrong', `Unit ${found} is after unit ${lastUnit}, the last one by the checkpoint.`)
    const isOnlyOneBack = following?.unit !== undefined && following.unit < found! && following.unit >= unit
    if (isOnlyOneBack && (after?.unit === undefined || after.unit < found!))
      return wrong('unit_wrong', `Unit ${found} is between units ${unit} and ${following.unit}.`)
    return undefined
  }

  return {
    read,
    end() {
      if (later) return { later, missing: later.missing - (later.seq - nextSeq!), isCut: later.isCut }
      if (nextSeq === undefined || nextSeq <= next) return { later, missing: 0, isCut }
      return { later, missing: isCut ? nextSeq : countMissing(nextSeq), isCut }
    },
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
