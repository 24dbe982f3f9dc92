import {
  type Checkpoint,
  checkpointPartition,
  checkpointRingKey,
  decodeCheckpoint,
  encodeCheckpoint,
  readCheckpoint,
  systemTopics,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { Report } from './finding.ts'
import type { PartitionScan } from './scan-partition.ts'

export interface CheckpointCheck {
  readonly queue: Queue
  readonly writerId: string
  /** The newest one, as it was before the partitions were read up to its unit. */
  readonly checkpoint: Checkpoint
  readonly scans: readonly PartitionScan[]
  readonly report: Report
}

/** Compares a newest checkpoint with what is in the topics, and with the one that is kept of its unit. */
export async function checkCheckpoint(check: CheckpointCheck): Promise<void> {
  const { queue, writerId, checkpoint, scans, report } = check
  const laterUnit = Math.min(...scans.map((scan) => scan.laterUnit ?? Number.POSITIVE_INFINITY))
  if (Number.isFinite(laterUnit)) {
    // Right where a run goes on: it has moved its checkpoint meanwhile.
    const { unit } = (await readCheckpoint(queue, writerId)) ?? checkpoint
    if (unit < laterUnit) {
      const message = `The newest checkpoint is of unit ${unit}, and there are records of unit ${laterUnit}.`
      return report({ code: 'checkpoint_behind', message, unit: laterUnit, expected: laterUnit, found: unit })
    }
  }
  if (await checkSeqs(check)) await checkRing(check)
}

async function checkSeqs({ checkpoint, scans, report }: CheckpointCheck): Promise<boolean> {
  let right = true
  for (const { place, nextSeq: expected } of scans) {
    const { topic, partition } = place
    const found = checkpoint.nextSeq[topic]?.[partition] ?? 0
    if (expected === undefined || found === expected) continue
    right = false
    const message = `The newest checkpoint has ${found} as the next seq. By the records that are there it is ${expected}.`
    await report({ code: 'checkpoint_wrong', message, topic, partition, unit: checkpoint.unit, expected, found })
  }
  return right
}

/** Each transaction writes the checkpoint of its last unit twice. */
async function checkRing({ queue, writerId, checkpoint, report }: CheckpointCheck): Promise<void> {
  const { unit } = checkpoint
  const key = checkpointRingKey(writerId, unit)
  const kept = await queue.latest(systemTopics.checkpoints, checkpointPartition(writerId), key)
  const found = kept?.value ? decodeCheckpoint(kept.value) : undefined
  // A run that goes on uses the place again after 8,192 units.
  if (found && (found.unit > unit || Buffer.compare(encodeCheckpoint(found), encodeCheckpoint(checkpoint)) === 0))
    return
  const message = 'The newest checkpoint is another one than is kept of its unit.'
  await report({ code: 'checkpoint_wrong', message, unit, expected: found ?? null, found: checkpoint })
}
