import {
  type Checkpoint,
  checkpointRingSize,
  decodeCheckpoint,
  encodeCheckpoint,
  type NextSeqs,
  readCheckpoint,
} from '@headrace/catalog'
import type { Audit } from './audit.ts'
import type { VerifyFinding } from './finding.ts'
import type { PartitionScan } from './scan-partition.ts'
import { readOwnCheckpoints, type StoredCheckpoints } from './stored-checkpoints.ts'

/** Compares the newest checkpoint and the ring with each other and with the records. */
export async function checkCheckpoints(audit: Audit, scans: readonly PartitionScan[]): Promise<void> {
  const isBehind = await checkNewest(audit, scans)
  const { checkpoint } = audit.stored
  if (!checkpoint) return
  // Records that the checkpoint does not know are a finding already.
  const known = isBehind ? scans.filter(({ later }) => !later) : scans
  await checkEntries(audit, checkpoint)
  await checkNumbers(audit, checkpoint, known)
  await checkChain(audit, checkpoint, known)
}

/** Returns whether the newest checkpoint is behind the topics. */
async function checkNewest({ queue, writerId, stored, report }: Audit, scans: readonly PartitionScan[]) {
  const { newest, unreadable, highest } = stored
  if (!newest) {
    const message = unreadable ?? `"${writerId}" has published records, but its newest checkpoint is missing.`
    await report({ code: unreadable ? 'checkpoint_unreadable' : 'checkpoint_missing', message })
    return false
  }
  const later = scans.flatMap(({ later, place: { topic, partition } }) => (later ? { ...later, topic, partition } : []))
  const laterUnit = Math.max(highest?.unit ?? 0, ...later.map(({ unit }) => unit))
  if (laterUnit > newest.unit || later.length > 0) {
    // A concurrent run may have written since.
    const current = (await readCheckpoint(queue, writerId)) ?? newest
    const unknown = later.find(({ topic, partition, seq }) => (current.nextSeq[topic]?.[partition] ?? 0) <= seq)
    if (unknown || current.unit < laterUnit) {
      const place = unknown && { topic: unknown.topic, partition: unknown.partition, seq: unknown.seq }
      const message = `The newest checkpoint is of unit ${newest.unit}, but units up to ${laterUnit} are published.`
      const units = { unit: laterUnit, expected: laterUnit, found: newest.unit }
      await report({ code: 'checkpoint_behind', message, ...place, ...units })
      return true
    }
  }
  const isCopied = highest && Buffer.compare(encodeCheckpoint(highest), encodeCheckpoint(newest)) === 0
  if (isCopied || (highest && highest.unit > newest.unit)) return false
  const message = 'The newest checkpoint differs from its copy in the ring.'
  await report({ code: 'checkpoint_wrong', message, unit: newest.unit, expected: highest ?? null, found: newest })
  return false
}

async function checkEntries({ stored, report }: Audit, checkpoint: Checkpoint): Promise<void> {
  for (const [slot, { checkpoint: kept }] of stored.ring) {
    const unit = checkpoint.unit - ((checkpoint.unit - slot) % checkpointRingSize)
    if (!kept) {
      const message = `The checkpoint in slot ${slot} of the ring cannot be decoded.`
      await report({ code: 'checkpoint_unreadable', message, unit })
    } else if (kept.unit % checkpointRingSize !== slot) {
      const message = `Slot ${slot} of the ring holds the checkpoint of unit ${kept.unit}.`
      await report({ code: 'checkpoint_wrong', message, unit, expected: unit, found: kept.unit })
    }
  }
  for (const { first, last } of missingUnits(stored, checkpoint)) {
    const message =
      first === last
        ? `The checkpoint of unit ${first} is missing: nothing can be reverted to it.`
        : `The checkpoints of units ${first} to ${last} are missing: nothing can be reverted to them.`
    await report({ code: 'checkpoint_missing', message, unit: first, expected: { first, last } })
  }
}

function missingUnits({ ring, oldestUnit }: StoredCheckpoints, { unit: newest, final, fromStart }: Checkpoint) {
  const missing: { first: number; last: number }[] = []
  if (fromStart) return missing
  const oldest = Math.max(final?.unit ?? 1, oldestUnit)
  for (let unit = newest - 1; unit >= oldest; unit--) {
    const entry = ring.get(unit % checkpointRingSize)
    if (entry?.checkpoint?.fromStart) break
    // From 8,192 units or more before.
    const isOlder =
      entry?.checkpoint && entry.checkpoint.unit < unit && (unit - entry.checkpoint.unit) % checkpointRingSize === 0
    if (entry && !isOlder) continue
    const next = missing.at(-1)
    if (next?.first === unit + 1) next.first = unit
    else missing.push({ first: unit, last: unit })
  }
  return missing.reverse()
}

/** The same difference in several checkpoints is one finding. */
async function checkNumbers(audit: Audit, { unit: newest }: Checkpoint, scans: readonly PartitionScan[]) {
  const { oldestUnit } = audit.stored
  const found = new Map<string, { finding: VerifyFinding; units: number }>()
  const wrongUnits = new Set<number>()
  let finalUnit = 0
  for await (const kept of readRing(audit)) {
    const { unit, final } = kept
    if (unit < oldestUnit || unit > newest) continue
    const isFinalChecked = final !== null && final.unit >= oldestUnit && !wrongUnits.has(final.unit)
    const finding = finalFinding(kept, finalUnit) ?? numbersFinding(kept, scans, isFinalChecked)
    if (!finding) {
      finalUnit = final?.unit ?? 0
      continue
    }
    wrongUnits.add(unit)
    const key = `${finding.topic} ${finding.partition} ${finding.message}`
    const known = found.get(key)
    if (known) known.units++
    else found.set(key, { finding, units: 1 })
  }
  for (const { finding, units } of found.values()) {
    const also = units === 1 ? '' : ` The same holds for ${units - 1} later checkpoints.`
    await audit.report({ ...finding, message: `${finding.message}${also}` })
  }
}

/** Reads the checkpoints that are in their slot completely, in the order in which they were written. */
async function* readRing({ queue, writerId, stored: { ring }, signal }: Audit): AsyncGenerator<Checkpoint> {
  const inSlot = [...ring].filter(
    ([slot, { checkpoint }]) => checkpoint && checkpoint.unit % checkpointRingSize === slot,
  )
  const offsets = new Set(inSlot.map(([, { offset }]) => offset))
  for await (const { offset, value } of readOwnCheckpoints(queue, writerId, signal))
    if (offsets.has(offset)) yield decodeCheckpoint(value!)
}

/** The final unit is not after the checkpoint's own, and never decreases. */
function finalFinding({ unit, final }: Checkpoint, earlier: number): VerifyFinding | undefined {
  const found = final?.unit ?? 0
  if (found >= earlier && found <= unit) return undefined
  const message = 'The final unit of the checkpoint is impossible.'
  return { code: 'checkpoint_wrong', message, unit, expected: { lowest: earlier, highest: unit }, found }
}

function numbersFinding(
  { unit, nextSeq, time, final }: Checkpoint,
  scans: readonly PartitionScan[],
  isFinalChecked: boolean,
): VerifyFinding | undefined {
  for (const { place, ends } of scans) {
    const { topic, partition } = place
    const wrong = (what: string, expected: unknown, found: number): VerifyFinding => {
      const message = `The ${what} in the checkpoint of the unit differs from the records.`
      return { code: 'checkpoint_wrong', message, topic, partition, unit, expected, found }
    }
    const checkSeq = (what: string, seqs: NextSeqs, unit: number): VerifyFinding | undefined => {
      const found = seqs[topic]?.[partition] ?? 0
      const { lowest, highest } = ends.after(unit)
      if (found >= lowest && found <= highest) return undefined
      return wrong(what, lowest === highest ? lowest : { lowest, highest }, found)
    }
    const wrongSeq = checkSeq('next seq', nextSeq, unit)
    if (wrongSeq) return wrongSeq
    const foundTime = time[topic]?.[partition] ?? 0
    const { time: expectedTime = foundTime } = ends.after(unit)
    if (foundTime !== expectedTime) return wrong('time', expectedTime, foundTime)
    const wrongFinal = isFinalChecked && checkSeq('next seq of the final unit', final!.nextSeq, final!.unit)
    if (wrongFinal) return wrongFinal
  }
  return undefined
}

/**
 * The previous unit that a checkpoint names must be canonical, and no later canonical unit may have records. Reverts of
 * units without records leave no trace.
 */
async function checkChain({ stored, report }: Audit, checkpoint: Checkpoint, scans: readonly PartitionScan[]) {
  const reverted = revertedUnits(scans)
  const hasRecords = (unit: number): boolean => scans.some(({ units }) => units.has(unit))
  const canonical: number[] = []
  // Which units were canonical before the ring began is not known.
  let isKnown = stored.oldestUnit === 1
  for (let unit = stored.oldestUnit; unit <= checkpoint.unit; unit++) {
    const from = reverted.get(unit) ?? Number.POSITIVE_INFINITY
    while (canonical.length > 0 && canonical.at(-1)! >= from) canonical.pop()
    const entry = stored.ring.get(unit % checkpointRingSize)?.checkpoint
    if (entry?.unit !== unit || entry.fromStart) {
      // A run may have published again after units whose checkpoints were lost.
      isKnown = entry?.unit === unit
      canonical.length = 0
      continue
    }
    const { previous } = entry
    const at = previous === null ? -1 : canonical.lastIndexOf(previous)
    const isRight = at >= 0 || (isKnown ? previous === null : (previous ?? 0) < (canonical[0] ?? unit))
    if (!isRight || canonical.slice(at + 1).some(hasRecords)) {
      const message = 'The checkpoint names another unit before this one than the canonical one.'
      const expected = canonical.at(-1) ?? null
      await report({ code: 'checkpoint_wrong', message, unit, expected, found: previous })
    } else canonical.length = at + 1
    if (previous === null) isKnown = true
    canonical.push(unit)
  }
}

/** Unit with reverts → the first unit that it reverts. */
function revertedUnits(scans: readonly PartitionScan[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  for (const { reverted, ends } of scans)
    for (const { unit, first } of reverted) found.set(unit, Math.min(ends.unitOf(first), found.get(unit) ?? unit))
  return found
}
