import { type Checkpoint, encodeCheckpoint, readCheckpoint } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { Report } from './finding.ts'
import type { PartitionScan } from './scan-partition.ts'
import type { StoredCheckpoints } from './stored-checkpoints.ts'

export interface NewestCheck {
  readonly queue: Queue
  readonly writerId: string
  readonly stored: StoredCheckpoints
  readonly scans: readonly PartitionScan[]
  readonly report: Report
}

/** The newest one or, if there is none, that of the highest unit. */
export function checkpointOf({ newest, highest }: StoredCheckpoints): Checkpoint | undefined {
  return newest ?? highest
}

/** Returns whether the newest checkpoint is behind the topics. */
export async function checkNewest({ queue, writerId, stored, scans, report }: NewestCheck): Promise<boolean> {
  const { newest, unreadable, highest } = stored
  if (!newest) {
    const message = unreadable ?? `"${writerId}" has published records, but its newest checkpoint is missing.`
    await report({ code: unreadable ? 'checkpoint_unreadable' : 'checkpoint_missing', message })
    return false
  }
  const later = scans.flatMap(({ later, place }) => (later ? [{ ...later, ...place }] : []))
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
  if (highest && Buffer.compare(encodeCheckpoint(highest), encodeCheckpoint(newest)) === 0) return false
  if (highest && highest.unit > newest.unit) return false
  const message = 'The newest checkpoint differs from its copy in the ring.'
  await report({ code: 'checkpoint_wrong', message, unit: newest.unit, expected: highest ?? null, found: newest })
  return false
}
