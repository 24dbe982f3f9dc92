import { type Checkpoint, checkpointRingSize, type NextSeqs } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { Report, VerifyFinding } from './finding.ts'
import type { PartitionScan } from './scan-partition.ts'
import { readRing, type StoredCheckpoints } from './stored-checkpoints.ts'

export interface RingCheck {
  readonly queue: Queue
  readonly writerId: string
  readonly checkpoint: Checkpoint
  readonly stored: StoredCheckpoints
  /** Without partitions that hold more than the checkpoint knows, which is a finding of its own. */
  readonly scans: readonly PartitionScan[]
  readonly signal: AbortSignal
  readonly report: Report
}

export function oldestInRing({ unit }: Pick<Checkpoint, 'unit'>): number {
  return Math.max(1, unit - checkpointRingSize + 1)
}

/** The same difference in several checkpoints is one finding. */
export async function checkRing(check: RingCheck): Promise<void> {
  await checkEntries(check)
  await checkNumbers(check)
  await checkChain(check)
}

async function checkEntries({ checkpoint, stored, report }: RingCheck): Promise<void> {
  const { ring } = stored
  for (const [slot, { checkpoint: kept }] of ring) {
    if (!kept) {
      const message = `The checkpoint in slot ${slot} of the ring cannot be decoded.`
      await report({ code: 'checkpoint_unreadable', message, unit: unitAt(slot, checkpoint.unit) })
    } else if (kept.unit % checkpointRingSize !== slot) {
      const message = `Slot ${slot} of the ring holds the checkpoint of unit ${kept.unit}.`
      const unit = unitAt(slot, checkpoint.unit)
      await report({ code: 'checkpoint_wrong', message, unit, expected: unit, found: kept.unit })
    }
  }
  for (const { first, last } of missingUnits(checkpoint, ring)) {
    const message =
      first === last
        ? `The checkpoint of unit ${first} is missing: nothing can be reverted to it.`
        : `The checkpoints of units ${first} to ${last} are missing: nothing can be reverted to them.`
    await report({ code: 'checkpoint_missing', message, unit: first, expected: { first, last } })
  }
}

function unitAt(slot: number, newest: number): number {
  return newest - ((newest - slot) % checkpointRingSize)
}

function missingUnits({ unit: newest, final, ...rest }: Checkpoint, ring: StoredCheckpoints['ring']): UnitRange[] {
  const missing: UnitRange[] = []
  if (rest.fromStart) return missing
  const oldest = Math.max(final?.unit ?? 1, oldestInRing({ unit: newest }))
  for (let unit = newest - 1; unit >= oldest; unit--) {
    const entry = ring.get(unit % checkpointRingSize)
    if (entry?.checkpoint?.fromStart) break
    // From 8,192 units or more before.
    const isOlder = entry?.checkpoint && entry.checkpoint.unit < unit && isInSlot(entry.checkpoint, unit)
    if (entry && !isOlder) continue
    const next = missing.at(-1)
    if (next?.first === unit + 1) next.first = unit
    else missing.push({ first: unit, last: unit })
  }
  return missing.reverse()
}

function isInSlot({ unit }: Pick<Checkpoint, 'unit'>, other: number): boolean {
  return unit % checkpointRingSize === other % checkpointRingSize
}

interface UnitRange {
  first: number
  last: number
}

async function checkNumbers({ queue, writerId, checkpoint, stored, scans, signal, report }: RingCheck): Promise<void> {
  const found = new Map<string, { finding: VerifyFinding; units: number }>()
  const oldest = oldestInRing(checkpoint)
  const wrongUnits = new Set<number>()
  let finalUnit = 0
  for await (const kept of readRing(queue, writerId, stored, signal)) {
    if (kept.unit < oldest || kept.unit > checkpoint.unit) continue
    const isFinalChecked = kept.final !== null && kept.final.unit >= oldest && !wrongUnits.has(kept.final.unit)
    const differing = finalDifference(kept, finalUnit) ?? differences(kept, scans, isFinalChecked)
    if (differing) wrongUnits.add(kept.unit)
    else finalUnit = kept.final?.unit ?? 0
    if (!differing) continue
    const key = `${differing.topic} ${differing.partition} ${differing.message}`
    const known = found.get(key)
    if (known) known.units++
    else found.set(key, { finding: differing, units: 1 })
  }
  for (const { finding, units } of found.values()) {
    const also = units === 1 ? '' : ` The same holds for ${units - 1} later checkpoints.`
    await report({ ...finding, message: `${finding.message}${also}` })
  }
}

function differences(
  kept: Checkpoint,
  scans: readonly PartitionScan[],
  isFinalChecked: boolean,
): VerifyFinding | undefined {
  const { unit, final } = kept
  for (const scan of scans) {
    const wrongSeq = compareSeq(scan, kept.nextSeq, unit)
    if (wrongSeq) return wrong(scan, unit, 'next seq', wrongSeq)
    const wrongTime = compareTime(scan, kept)
    if (wrongTime) return wrong(scan, unit, 'time', wrongTime)
    const wrongFinal = isFinalChecked ? compareSeq(scan, final!.nextSeq, final!.unit) : undefined
    if (wrongFinal) return wrong(scan, unit, 'next seq of the final unit', wrongFinal)
  }
  return undefined
}

interface Difference {
  readonly expected: unknown
  readonly found: unknown
}

function wrong(scan: PartitionScan, unit: number, what: string, difference: Difference): VerifyFinding {
  const { topic, partition } = scan.place
  const message = `The ${what} in the checkpoint of the unit differs from the records.`
  return { code: 'checkpoint_wrong', message, topic, partition, unit, ...difference }
}

function compareSeq({ place, ends }: PartitionScan, nextSeq: NextSeqs, unit: number): Difference | undefined {
  const found = nextSeq[place.topic]?.[place.partition] ?? 0
  const { lowest, highest } = ends.after(unit)
  if (found >= lowest && found <= highest) return undefined
  return { expected: lowest === highest ? lowest : { lowest, highest }, found }
}

function compareTime({ place, ends }: PartitionScan, { unit, time }: Checkpoint): Difference | undefined {
  const found = time[place.topic]?.[place.partition] ?? 0
  const { time: expected } = ends.after(unit)
  return expected === undefined || expected === found ? undefined : { expected, found }
}

/** The final unit is not after the checkpoint's own, and never decreases. */
function finalDifference({ unit, final }: Checkpoint, earlier: number): VerifyFinding | undefined {
  const found = final?.unit ?? 0
  if (found >= earlier && found <= unit) return undefined
  const message = 'The final unit of the checkpoint is impossible.'
  return { code: 'checkpoint_wrong', message, unit, expected: { lowest: earlier, highest: unit }, found }
}

/**
 * The previous unit that a checkpoint names must be canonical, and no later canonical unit may have records. Reverts of
 * units without records leave no trace.
 */
async function checkChain({ checkpoint, stored: { ring }, scans, report }: RingCheck): Promise<void> {
  const reverted = revertedUnits(scans)
  const hasRecords = (unit: number): boolean => scans.some(({ units }) => units.has(unit))
  const oldest = oldestInRing(checkpoint)
  const canonical: number[] = []
  // Which units were canonical before the ring began is not known.
  let isKnown = oldest === 1
  for (let unit = oldest; unit <= checkpoint.unit; unit++) {
    const from = reverted.get(unit) ?? Number.POSITIVE_INFINITY
    while (canonical.length > 0 && canonical.at(-1)! >= from) canonical.pop()
    const entry = ring.get(unit % checkpointRingSize)?.checkpoint
    if (entry?.unit !== unit || entry.fromStart) {
      // A run may have published again after units whose checkpoints were lost.
      isKnown = entry?.unit === unit
      canonical.length = 0
      if (!entry?.fromStart) continue
    } else {
      const { previous } = entry
      const at = previous === null ? -1 : canonical.lastIndexOf(previous)
      const isRight = at >= 0 || (isKnown ? previous === null : (previous ?? 0) < (canonical[0] ?? unit))
      if (!isRight || canonical.slice(at + 1).some(hasRecords)) {
        const message = 'The checkpoint names another unit before this one than the canonical one.'
        const expected = canonical.at(-1) ?? null
        await report({ code: 'checkpoint_wrong', message, unit, expected, found: previous })
      } else canonical.length = at + 1
      if (previous === null) isKnown = true
    }
    if (!entry.fromStart) canonical.push(unit)
  }
}

function revertedUnits(scans: readonly PartitionScan[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  for (const { reverted, ends } of scans)
    for (const { unit, first } of reverted) found.set(unit, Math.min(ends.unitOf(first), found.get(unit) ?? unit))
  return found
}
