import { encodeCheckpoint } from '@headrace/catalog'
import { type Queue, type Remedy, UserError } from '@headrace/queue'
import type { Logger } from 'pino'
import { readCommittedState, readNewestCheckpoint } from '../checkpoint/read-checkpoints.ts'
import { createRunState, type RunState } from '../checkpoint/run-state.ts'
import { commitGroup } from '../cycle/commit-group.ts'
import { createBadMessageReplacer } from '../dead-letter/bad-messages.ts'
import { RunMeter } from '../metrics/run-meter.ts'
import { planRevert, type Revert } from '../revert/revert.ts'
import { openRunWriter } from '../start/run-writer.ts'

export type ResetTarget =
  /** After the unit with this checkpoint, which can still be reverted to. Later units are reverted. */
  | { readonly at: 'checkpoint'; readonly position: unknown }
  /** At the start of its source. Published records are reverted, or kept and then published twice. */
  | { readonly at: 'start'; readonly keepRecords: boolean }

export interface ResetCheckpointOptions {
  readonly queue: Queue
  /** `<lineage>/<instance>` */
  readonly writerId: string
  readonly target: ResetTarget
  readonly log: Logger
}

export interface ResetSummary {
  readonly unit: number
  readonly units: number
  readonly records: number
}

/**
 * Makes a connector instance continue from another position of its source.
 *
 * The reset is a unit in one transaction: readers see reverts, and unit numbers and seqs continue. A running instance
 * is fenced.
 *
 * @throws {UserError} `reset_refused`: there is no checkpoint, or records are no longer revertible. Nothing is changed.
 * @throws {FencedError} a run was started at the same time.
 */
export async function resetCheckpoint(options: ResetCheckpointOptions): Promise<ResetSummary> {
  const { queue, writerId, target, log } = options
  await checkTarget(options)
  const { writer, checkpoint } = await openRunWriter(queue, writerId)
  try {
    const state = createRunState(await readCommittedState(queue, writerId, checkpoint), [])
    const revert = await planReset(queue, state, target)
    const ended = target.at === 'start' ? state.endUnitFromStart() : state.endUnit({ checkpoint: target.position })
    const unit = {
      ...{ unit: ended.unit, revert, records: [], deadLetters: [], bytes: 0, revertible: state.revertible },
      ...{ position: ended.position, checkpoint: encodeCheckpoint(ended) },
    }
    const replaceBad = createBadMessageReplacer({ writerId, onBadMessage: 'stop', log })
    const { signal } = new AbortController()
    await commitGroup({ queue, writer, replaceBad, meter: new RunMeter(), signal, log }, [unit])
    return { unit: ended.unit, units: revert?.units ?? 0, records: revert?.records ?? 0 }
  } finally {
    await writer.close()
  }
}

/** Refuses an impossible reset before any run is fenced. */
async function checkTarget({ queue, writerId, target }: ResetCheckpointOptions): Promise<void> {
  const newest = await readNewestCheckpoint(queue, writerId)
  if (!newest)
    throw refused(
      `"${writerId}" has published nothing in this queue. Check the queue, the instance and the topicVersion of the ` +
        'manifest.',
      'set_queue_and_instance',
    )
  checkRevertible(createRunState(await readCommittedState(queue, writerId, newest), []), target)
}

async function planReset(queue: Queue, state: RunState, target: ResetTarget): Promise<Revert | undefined> {
  checkRevertible(state, target)
  if (target.at === 'checkpoint') return planRevert(queue, state, target.position)
  return target.keepRecords ? undefined : planRevert(queue, state, null)
}

function checkRevertible({ history, final }: RunState, target: ResetTarget): void {
  if (target.at === 'checkpoint') {
    const json = JSON.stringify(target.position)
    if (!history.find(json))
      throw refused(
        `No unit that can still be reverted to has the checkpoint ${shorten(json)}. \`readCheckpoints\` lists those that can.`,
        'list_checkpoints',
      )
  } else if (!target.keepRecords && !(final === null && history.reachesStart())) {
    const bound = final === null ? 'the oldest units are no longer kept' : `unit ${final.unit} is final`
    throw refused(
      `Not all records can be reverted: ${bound}. With \`keepRecords\` none is reverted, and all are published a second ` +
        'time. Or publish to new topics: set another topicVersion.',
      'keep_records',
    )
  }
}

function shorten(json: string): string {
  return json.length > 200 ? `${json.slice(0, 200)}…` : json
}

function refused(message: string, kind: Remedy['kind']): UserError {
  return new UserError('reset_refused', message, { remedy: { kind } })
}
