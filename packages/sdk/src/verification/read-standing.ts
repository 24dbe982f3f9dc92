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
  /** Why the message could not be produced. */
  readonly error: string | undefined
}

export interface ReadStandingOptions extends Omit<ReadOptions, 'onCut'> {
  readonly dead: DeadSeqs
  readonly report: Report
  /** Is told that retention has removed records meanwhile: none of those from a unit on, or all, as far as is known yet. */
  onRemoved(firstWhole?: number): void
}

/**
 * Reads the records of a partition that stand, in lists that are not empty, and compares each revert with what it takes
 * back. Records that belong nowhere, which has been reported, are left out.
 */
export async function* readStanding(
  queue: Queue,
  place: PartitionToVerify,
  { dead, report, onRemoved, ...reading }: ReadStandingOptions,
): AsyncGenerator<readonly StandingRecord[], void, undefined> {
  const contents = createRevertContents()
  const onCut = (): void => onRemoved()
  for await (const list of placeRecords(queue, place, { ...reading, onCut })) {
    const standing: StandingRecord[] = []
    const found: VerifyFinding[] = []
    let isLast = false
    for (const { record, headers, place: at } of list) {
      if (!at) continue
      isLast = at.unit > place.lastUnit
      if (isLast) break
      if (at.isCut) onRemoved(at.unit + 1)
      const { seq, unit } = at
      const interval = dead.around(seq, null)
      if (!interval) standing.push({ record, seq, unit, error: headers.error })
      else if (!contents.take(record, headers, seq, interval)) found.push(differs(record, at, headers.reverts!))
    }
    for (const finding of found) await report(finding)
    if (standing.length > 0) yield standing
    if (isLast) return
  }
}

function differs(record: QueueRecord, at: { seq: number; unit: number }, reverts: number): VerifyFinding {
  const message = `The revert has another key or value than the record with seq ${reverts}, which it takes back.`
  return { code: 'revert_differs', message, ...placeOf(record, at) }
}
