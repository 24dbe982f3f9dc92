import { createHash } from 'node:crypto'
import type { RecordHeaders, RevertedSeqs, SeqInterval } from '@headrace/catalog'
import type { Queue, QueueRecord } from '@headrace/queue'
import { placeOf, type Report, type VerifyFinding } from './finding.ts'
import { type PartitionToVerify, placeRecords } from './place-records.ts'
import type { ReadOptions } from './read-forward.ts'

export interface CanonicalRecord {
  readonly record: QueueRecord
  readonly seq: number
  readonly unit: number
  readonly previousTime: number
  readonly error: string | undefined
}

export interface ReadCanonicalOptions extends Omit<ReadOptions, 'onCut'> {
  readonly reverted: RevertedSeqs
  readonly report: Report
  /** Called where retention has removed records in the meantime: up to `lastUnit`, or all of them. */
  onRemoved(lastUnit?: number): Promise<void>
}

export async function* readCanonical(
  queue: Queue,
  place: PartitionToVerify,
  { reverted, report, onRemoved, ...reading }: ReadCanonicalOptions,
): AsyncGenerator<readonly CanonicalRecord[], void, undefined> {
  const isRevertRight = createRevertCheck()
  let isRemoved = false
  const onCut = (): void => {
    isRemoved = true
  }
  for await (const list of placeRecords(queue, place, { ...reading, onCut })) {
    const canonical: CanonicalRecord[] = []
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
      const interval = reverted.around(seq, null)
      if (!interval) canonical.push({ record, seq, unit, previousTime: at.previousTime, error: headers.error })
      else if (!isRevertRight(record, headers, seq, interval)) found.push(differs(record, at, headers.reverts!))
    }
    for (const finding of found) await report(finding)
    if (canonical.length > 0) yield canonical
    if (isLast) break
  }
  if (isRemoved) await onRemoved()
}

function differs(record: QueueRecord, at: { seq: number; unit: number }, reverts: number): VerifyFinding {
  const message = `The key or value of the revert differs from that of seq ${reverts}, which it reverts.`
  return { code: 'revert_differs', message, ...placeOf(record, at) }
}

type RevertCheck = (record: QueueRecord, headers: RecordHeaders, seq: number, interval: SeqInterval) => boolean

/**
 * Returns a function that returns false for a revert that differs from its record. It holds a digest for each record of
 * the current interval.
 */
function createRevertCheck(): RevertCheck {
  const digests = new Map<number, number>()
  let last = -1
  return (record, { op, reverts, error }, seq, interval) => {
    if (interval.last !== last) digests.clear()
    last = interval.last
    if (op === 'append') {
      digests.set(seq, digestOf(record, error))
      return true
    }
    const reverted = digests.get(reverts ?? -1)
    // The headers of a revert can make it too large.
    if (record.value === null && error?.startsWith('record_too_large')) return true
    // An unknown record was removed by retention or lost.
    return reverted === undefined || reverted === digestOf(record, error)
  }
}

function digestOf({ key, value }: QueueRecord, error: string | undefined): number {
  const hash = createHash('sha256').update(`${key?.length} ${value?.length} ${error ?? ''} `)
  if (key) hash.update(key)
  if (value) hash.update(value)
  return hash.digest().readUIntBE(0, 6)
}

interface PartitionRecords<T> {
  readonly of: T
  readonly lists: AsyncIterator<readonly CanonicalRecord[], void, undefined>
}

export interface UnitRecords<T> {
  readonly unit: number
  readonly partitions: readonly { readonly of: T; readonly records: readonly CanonicalRecord[] }[]
}

/** Holds one unit, and one list of each partition. */
export async function* gatherUnits<T>(
  partitions: readonly PartitionRecords<T>[],
): AsyncGenerator<UnitRecords<T>, void, undefined> {
  const all = await Promise.all(
    partitions.map(async ({ of, lists }) => ({ of, lists, list: await nextList(lists), at: 0 })),
  )
  for (;;) {
    const unit = Math.min(...all.map(({ list, at }) => list[at]?.unit ?? Number.POSITIVE_INFINITY))
    if (unit === Number.POSITIVE_INFINITY) return
    const found: { of: T; records: readonly CanonicalRecord[] }[] = []
    for (const partition of all) {
      const records = await takeUnit(partition, unit)
      if (records.length > 0) found.push({ of: partition.of, records })
    }
    yield { unit, partitions: found }
  }
}

interface OpenPartition {
  readonly lists: AsyncIterator<readonly CanonicalRecord[], void, undefined>
  list: readonly CanonicalRecord[]
  at: number
}

async function takeUnit(partition: OpenPartition, unit: number): Promise<readonly CanonicalRecord[]> {
  const records: CanonicalRecord[] = []
  while (partition.list[partition.at]?.unit === unit) {
    records.push(partition.list[partition.at++]!)
    if (partition.at < partition.list.length) continue
    partition.list = await nextList(partition.lists)
    partition.at = 0
  }
  return records
}

async function nextList(lists: OpenPartition['lists']): Promise<readonly CanonicalRecord[]> {
  const { value } = await lists.next()
  return value ?? []
}
