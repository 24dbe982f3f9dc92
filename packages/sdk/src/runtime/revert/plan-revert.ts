import { checkpointRingSize } from '@headrace/catalog'
import { type Queue, UserError } from '@headrace/queue'
import { checkpointJson } from '../checkpoint/checkpoint-json.ts'
import type { StandingUnit } from '../checkpoint/history.ts'
import type { RunState } from '../checkpoint/run-state.ts'
import type { PartitionRevert, Revert } from './revert.ts'
import { type SeqRange, standingRecords } from './standing-records.ts'

/**
 * Plans to take back every unit after the one with this checkpoint, `null`: all of them, and numbers the reverts: the
 * state stands at that unit afterwards, its counters after the reverts. All units before must be committed.
 *
 * @throws {UserError} `reorganisation_below_final`, `records_lost`: nothing has been written. `invalid_unit`.
 */
export async function planRevert(queue: Queue, state: RunState, revertTo: unknown): Promise<Revert> {
  const target = findTarget(state, revertTo)
  const partitions: PartitionRevert[] = []
  let records = 0
  for (const { topic, counters } of state.topics()) {
    for (const [partition, nextSeq] of counters.nextSeq.entries()) {
      const fromSeq = target?.nextSeq[topic]?.[partition] ?? 0
      if (nextSeq === fromSeq) continue
      const { count, firstDead } = await countStanding(queue, { topic, partition, fromSeq, endSeq: nextSeq })
      if (count === 0) continue
      const lastDead = nextSeq + count - 1
      const time = counters.time[partition]!
      partitions.push({ topic, partition, fromSeq, firstDead, firstRevert: nextSeq, lastDead, time })
      counters.nextSeq[partition] = lastDead + 1
      records += count
    }
  }
  return { units: state.history.forgetAfter(target?.unit ?? null), records, partitions }
}

function findTarget({ history, final }: RunState, revertTo: unknown): StandingUnit | undefined {
  if (revertTo === null) {
    if (final === null && history.reachesStart()) return undefined
    throw belowFinal('The source continues none of the published units that it may go back to', final?.unit)
  }
  const json = checkpointJson(revertTo, 'revertTo')
  const target = history.find(json)
  if (!target) throw belowFinal(`The source takes back every unit after the one with checkpoint ${json}`, final?.unit)
  return target
}

function belowFinal(problem: string, final: number | undefined): UserError {
  const bound =
    final === undefined ? `the last ${checkpointRingSize} units` : `what followed unit ${final}, which is final`
  return new UserError(
    'reorganisation_below_final',
    `${problem}, and only ${bound}, can be taken back. Nothing was overwritten. ` +
      'Check what the source reads: its history is another one than was published. ' +
      'To publish it from the start, use a new topicVersion or another queue.',
  )
}

async function countStanding(queue: Queue, range: SeqRange): Promise<{ count: number; firstDead: number }> {
  let count = 0
  let firstDead = range.fromSeq
  for await (const records of standingRecords(queue, range)) {
    count += records.length
    firstDead = records.at(-1)?.seq ?? firstDead
  }
  return { count, firstDead }
}
