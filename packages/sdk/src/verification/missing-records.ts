import { checkpointRingSize, type NextSeqs, readCheckpoint, type SeqInterval } from '@headrace/catalog'
import { UserError } from '@headrace/queue'
import { readCheckpoints } from '../runtime/checkpoint/read-checkpoints.ts'
import type { Audit } from './audit.ts'
import type { VerifyFinding } from './finding.ts'
import type { PartitionToVerify } from './partitions-to-verify.ts'

export interface MissingRecords extends SeqInterval {
  /** The record after them; `undefined` at the end of the partition. */
  readonly before: Pick<VerifyFinding, 'offset' | 'unit'> | undefined
}

export type MissingReporter = (place: PartitionToVerify, missing: MissingRecords) => Promise<void>

/** Reports missing records, unless retention may have removed them. */
export function createMissingReporter(audit: Audit): MissingReporter {
  const { whole, report } = audit
  let removable: Removable | undefined

  /** Reads the state of retention again where it does not cover `last`, because retention may have continued. */
  async function findRemovable(topic: string, partition: number, last: number): Promise<Removable | undefined> {
    const isEnough = (): boolean => (removable?.nextSeq[topic]?.[partition] ?? 0) > last
    if (!isEnough()) removable = await readRemovable(audit)
    return isEnough() ? removable : undefined
  }

  return async ({ topic, partition, hasRetention }, { first, last, before }) => {
    const isBeginning = first === 0
    const removed = hasRetention && isBeginning ? await findRemovable(topic, partition, last) : undefined
    // If there is a record after them, it determines which units are not whole.
    if (isBeginning && !before) whole.exclude(1, removed?.unit ?? whole.last)
    if (removed) return
    const what = first === last ? `Seq ${first} is missing` : `Seqs ${first} to ${last} are missing`
    const where = before ? '' : isBeginning ? ': the partition is empty' : ' at the end'
    const count = last - first + 1
    const message = `${what}${where} (${count} ${count === 1 ? 'record' : 'records'}).`
    await report({ code: 'seq_missing', message, topic, partition, seq: first, ...before, expected: { first, last } })
  }
}

/** Retention has removed records while they were read: those up to a unit, by default all that it may remove. */
export async function excludeRemoved(audit: Audit, lastUnit?: number): Promise<void> {
  const { whole } = audit
  whole.exclude(1, lastUnit ?? (await readRemovable(audit))?.unit ?? whole.last)
}

interface Removable {
  readonly unit: number
  readonly nextSeq: NextSeqs
}

/** `undefined` where every unit can be reverted. */
async function readRemovable({ queue, writerId }: Audit): Promise<Removable | undefined> {
  try {
    const newest = await readCheckpoint(queue, writerId)
    if (!newest) return undefined
    const { final } = newest
    if (newest.unit - (final?.unit ?? 0) < checkpointRingSize) return final ?? undefined
    const { history } = await readCheckpoints(queue, writerId)
    const oldest = history.at(-1)
    return oldest && oldest.previous !== null ? oldest : (final ?? undefined)
  } catch (error) {
    // An unreadable checkpoint is a finding of its own.
    if (error instanceof UserError && error.code === 'invalid_checkpoint') return undefined
    throw error
  }
}
