import type { DeadInterval } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { placeOf, type Report, type VerifyFinding } from './finding.ts'
import { type PartitionToVerify, type PlacedRecord, placeRecords, type RecordPlace } from './place-records.ts'
import type { ReadOptions } from './read-forward.ts'
import { createRevertOrder, type RevertedInterval } from './revert-order.ts'

/** What the headers of a partition's records say. */
export interface PartitionScan {
  readonly place: PartitionToVerify
  /** Records, up to the last unit. */
  readonly records: number
  /** Seq and unit of the first one that is kept; `undefined` where there is none. */
  readonly first: { readonly seq: number; readonly unit: number } | undefined
  /** Whether retention has removed nothing. */
  readonly isWhole: boolean
  /** Seq after the last one; `undefined` where there is none. */
  readonly nextSeq: number | undefined
  /** The highest unit of its records, 0 where there is none. */
  readonly newestUnit: number
  /** Unit of the first record after the last unit. */
  readonly laterUnit: number | undefined
  readonly reverted: readonly RevertedInterval[]
}

export interface ScanOptions extends Omit<ReadOptions, 'onCut'> {
  /** What `_headrace.reorgs` tells. */
  readonly told: readonly DeadInterval[]
  readonly report: Report
}

/** Reads the headers of a partition and reports what is wrong with them. What it holds in memory are intervals. */
export async function scanPartition(
  queue: Queue,
  place: PartitionToVerify,
  { told, report, ...reading }: ScanOptions,
): Promise<PartitionScan> {
  const { topic, partition, from, lastUnit } = place
  const order = createRevertOrder(
    told.filter((interval) => interval.topic === topic && interval.partition === partition),
  )
  let isWhole = from === 0n
  let first: PartitionScan['first']
  let nextSeq = isWhole ? 0 : undefined
  let [records, newestUnit] = [0, 0]
  let laterUnit: number | undefined
  const onCut = (): void => {
    isWhole = false
    first = undefined
    nextSeq = undefined
  }

  function take(placed: PlacedRecord): readonly VerifyFinding[] {
    records++
    if (!placed.place) return placed.findings
    const { seq, unit } = placed.place
    first ??= { seq, unit }
    nextSeq = seq + 1
    newestUnit = unit
    const expected = order.take({ ...placed.place, op: placed.headers.op, reverts: placed.headers.reverts })
    const finding = revertFinding(placed, placed.place, expected)
    return finding ? [...placed.findings, finding] : placed.findings
  }

  for await (const list of placeRecords(queue, place, { ...reading, onCut })) {
    for (const placed of list) {
      if (placed.place && placed.place.unit > lastUnit) {
        laterUnit = placed.place.unit
        break
      }
      for (const finding of take(placed)) await report(finding)
    }
    if (laterUnit !== undefined) break
  }
  return { place, records, first, isWhole, nextSeq, newestUnit, laterUnit, reverted: order.intervals() }
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
