import type { DeadSeqs } from '@headrace/catalog'
import type { Queue, QueueRecord } from '@headrace/queue'
import { placeOf, type Report, type VerifyFinding } from './finding.ts'
import { type PartitionToVerify, placeRecords } from './place-records.ts'
import type { ReadOptions } from './read-forward.ts'
import { createRevertContents } from './revert-contents.ts'

/** A record that nothing has taken back. */
export interface StandingRecord {
  readonly record: QueueRecord
  readonly seq: number
  readonly unit: number
  /** Time of the record before it in its partition, in ms. */
  readonly previousTime: number
  /** Why the message could not be produced. */
  readonly error: string | undefined
}

export interface ReadStandingOptions extends Omit<ReadOptions, 'onCut'> {
  readonly dead: DeadSeqs
  readonly report: Report
  /** Called where retention has removed records in the meantime: up to a unit, or all where it is left out. */
  onRemoved(lastUnit?: number): Promise<void>
}

/**
 * Reads the records of a partition that stand, in lists that are not empty, and compares each revert with what it takes
 * back. Records without a known place, which has been reported, are left out.
 */
export async function* readStanding(
  queue: Queue,
  place: PartitionToVerify,
  { dead, report, onRemoved, ...reading }: ReadStandingOptions,
): AsyncGenerator<readonly StandingRecord[], void, undefined> {
  const contents = createRevertContents()
  let isRemoved = false
  const onCut = (): void => {
    isRemoved = true
  }
  for await (const list of placeRecords(queue, place, { ...reading, onCut })) {
    const standing: StandingRecord[] = []
    const found: VerifyFinding[] = []
    let isLast = false
    for (const { record, headers, place: at } of list) {
      if (!at) continue
      const { seq, unit } = at
      isLast = place.nextSeq !== undefined && seq >= place.nextSeq
      if (isLast) break
      if (at.isCut) await onRemoved(unit)
      if (at.isCut) isRemoved = false
      if (!at.isUnitKnown) continue
      const interval = dead.around(seq, null)
      if (!interval) standing.push({ record, seq, unit, previousTime: at.previousTime, error: headers.error })
      else if (!contents.take(record, headers, seq, interval)) found.push(differs(record, at, headers.reverts!))
    }
    for (const finding of found) await report(finding)
    if (standing.length > 0) yield standing
    if (isLast) break
  }
  if (isRemoved) await onRemoved()
}

function differs(record: QueueRecord, at: { seq: number; unit: number }, reverts: number): VerifyFinding {
  const message = `The revert has another key or value than the record with seq ${reverts}, which it takes back.`
  return { code: 'revert_differs', message, ...placeOf(record, at) }
}
