import { checkpointRingSize, type NextSeqs, readCheckpoint } from '@headrace/catalog'
import { type Queue, UserError } from '@headrace/queue'
import { readCheckpoints } from '../runtime/checkpoint/read-checkpoints.ts'
import type { Report } from './finding.ts'
import type { PartitionToVerify } from './place-records.ts'
import type { MissingRecords } from './scan-partition.ts'
import type { TopicToVerify } from './topics-to-verify.ts'
import type { WholeUnits } from './whole-units.ts'

export interface MissingReporterOptions {
  readonly queue: Queue
  readonly writerId: string
  readonly whole: WholeUnits
  readonly report: Report
}

export type MissingReporter = (
  topic: Pick<TopicToVerify, 'hasRetention'>,
  place: PartitionToVerify,
  missing: MissingRecords,
) => Promise<void>

export function createMissingReporter({ queue, writerId, whole, report }: MissingReporterOptions): MissingReporter {
  let removable: Removable | undefined

  /** Reads the state of retention again where it does not cover `last`, because retention may have continued. */
  async function findRemovable(topic: string, partition: number, last: number): Promise<Removable | undefined> {
    const isEnough = (): boolean => (removable?.nextSeq[topic]?.[partition] ?? 0) > last
    if (!isEnough()) removable = await readRemovable(queue, writerId)
    return isEnough() ? removable : undefined
  }

  return async ({ hasRetention }, { topic, partition }, { first, last, isBeginning, before }) => {
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

interface Removable {
  readonly unit: number
  readonly nextSeq: NextSeqs
}

/** `undefined` where every unit can be reverted. */
export async function readRemovable(queue: Queue, writerId: string): Promise<Removable | undefined> {
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
