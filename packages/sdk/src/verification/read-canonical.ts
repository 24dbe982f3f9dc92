import { createHash } from 'node:crypto'
import type { RecordHeaders, RevertedSeqs, SeqInterval } from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'
import type { Audit } from './audit.ts'
import { placeOf, type VerifyFinding } from './finding.ts'
import { excludeRemoved } from './missing-records.ts'
import type { KnownTopic, PartitionToVerify } from './partitions-to-verify.ts'
import { createPlacing } from './place-records.ts'

export interface CanonicalRecord {
  readonly record: QueueRecord
  readonly seq: number
  readonly unit: number
  readonly previousTime: number
  readonly error: string | undefined
}

/** Yields the canonical records of a partition, unit by unit. */
export async function* readCanonical(
  audit: Audit,
  place: PartitionToVerify,
  reverted: RevertedSeqs,
): AsyncGenerator<readonly CanonicalRecord[], void, undefined> {
  const isRevertRight = createRevertCheck()
  const placing = createPlacing(place)
  let records: CanonicalRecord[] = []
  for await (const list of placing.read(audit)) {
    for (const { record, headers, place: at } of list) {
      if (!at) continue
      const { seq, unit, isUnitKnown, isCut, previousTime } = at
      if (isCut) await excludeRemoved(audit, unit)
      if (!isUnitKnown) continue
      const interval = reverted.around(seq, null)
      if (!interval) {
        if (records.length > 0 && records[0]!.unit !== unit) {
          yield records
          records = []
        }
        records.push({ record, seq, unit, previousTime, error: headers.error })
      } else if (!isRevertRight(record, headers, seq, interval))
        await audit.report(differs(record, at, headers.reverts!))
    }
  }
  if (placing.end().isCut) await excludeRemoved(audit)
  if (records.length > 0) yield records
}

function differs(record: QueueRecord, at: { seq: number; unit: number }, reverts: number): VerifyFinding {
  const message = `The key or value of the revert differs from that of seq ${reverts}, which it reverts.`
  return { code: 'revert_differs', message, ...placeOf(record, at) }
}

/**
 * Returns a function that returns false for a revert that differs from its record. It holds a digest for each record of
 * the current interval.
 */
function createRevertCheck() {
  const digests = new Map<number, number>()
  let last = -1
  return (record: QueueRecord, { op, reverts, error }: RecordHeaders, seq: number, interval: SeqInterval): boolean => {
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

export interface CanonicalPartition {
  readonly topic: KnownTopic | undefined
  readonly units: AsyncIterator<readonly CanonicalRecord[], void, undefined>
}

export interface UnitRecords {
  readonly unit: number
  readonly partitions: readonly (Pick<CanonicalPartition, 'topic'> & { readonly records: readonly CanonicalRecord[] })[]
}

/** Merges partitions by unit. Holds one unit of each partition. */
export async function* gatherUnits(
  partitions: readonly CanonicalPartition[],
): AsyncGenerator<UnitRecords, void, undefined> {
  const all = await Promise.all(
    partitions.map(async (partition) => ({ ...partition, records: await nextUnit(partition) })),
  )
  for (;;) {
    const unit = Math.min(...all.map(({ records }) => records[0]?.unit ?? Number.POSITIVE_INFINITY))
    if (unit === Number.POSITIVE_INFINITY) return
    const found = all.filter(({ records }) => records[0]?.unit === unit)
    const gathered = { unit, partitions: found.map(({ topic, records }) => ({ topic, records })) }
    for (const partition of found) partition.records = await nextUnit(partition)
    yield gathered
  }
}

async function nextUnit({ units }: CanonicalPartition): Promise<readonly CanonicalRecord[]> {
  const { value } = await units.next()
  return value ?? []
}
