import type { Queue } from '@headrace/queue'
import type { Report } from './finding.ts'
import type { PartitionToVerify } from './place-records.ts'
import { type Removable, readRemovable } from './removable.ts'
import type { MissingRecords } from './scan-partition.ts'
import type { TopicToVerify } from './topics-to-verify.ts'
import type { WholeUnits } from './whole-units.ts'

export interface MissingJudgeOptions {
  readonly queue: Queue
  readonly writerId: string
  readonly whole: WholeUnits
  readonly report: Report
}

/** Reports records that are missing, unless retention may have removed them. */
export type MissingJudge = (
  topic: Pick<TopicToVerify, 'hasRetention'>,
  place: PartitionToVerify,
  missing: MissingRecords,
) => Promise<void>

export function createMissingJudge({ queue, writerId, whole, report }: MissingJudgeOptions): MissingJudge {
  let removable: Removable | undefined

  /** Retention may have continued since: it is asked again where it has not come far enough. */
  async function findRemovable(topic: string, partition: number, last: number): Promise<Removable | undefined> {
    const isEnough = (): boolean => (removable?.nextSeq[topic]?.[partition] ?? 0) > last
    if (!isEnough()) removable = await readRemovable(queue, writerId)
    return isEnough() ? removable : undefined
  }

  return async ({ hasRetention }, { topic, partition }, { first, last, isBeginning, before }) => {
    const removed = hasRetention && isBeginning ? await findRemovable(topic, partition, last) : undefined
    // With a record after it, that one says which units are not whole.
    if (isBeginning && !before) whole.lose(1, removed?.unit ?? whole.last)
    if (removed) return
    const what = first === last ? `Seq ${first} is missing` : `Seqs ${first} to ${last} are missing`
    const where = before ? '' : isBeginning ? ': the partition is empty' : ': they are the last ones'
    const count = last - first + 1
    const message = `${what}${where} (${count} ${count === 1 ? 'record' : 'records'}).`
    await report({ code: 'seq_missing', message, topic, partition, seq: first, ...before, expected: { first, last } })
  }
}
