import {
  type Checkpoint,
  checkpointPartition,
  checkpointRingSize,
  decodeCheckpoint,
  readCheckpoint,
  systemTopics,
} from '@headrace/catalog'
import { type Queue, UnknownTopicError } from '@headrace/queue'
import { readBackwards } from '../revert/read-backwards.ts'
import type { CommittedState } from './run-state.ts'

export async function readCommittedState(
  queue: Queue,
  writerId: string,
  newest: Checkpoint | undefined,
): Promise<CommittedState> {
  return { newest, history: newest && !newest.fromStart ? await readHistory(queue, writerId, newest) : [] }
}

/**
 * Oldest first, including the newest one. The ring holds reverted units too: canonical ones form a chain, each naming
 * the one before. Of neighbours with the same checkpoint, which a reset makes, only the newest is returned.
 */
async function readHistory(queue: Queue, writerId: string, newest: Checkpoint): Promise<Checkpoint[]> {
  const chain = [newest]
  const add = (checkpoint: Checkpoint): void => {
    const after = chain.at(-1)!
    if (JSON.stringify(after.position) !== JSON.stringify(checkpoint.position)) chain.push(checkpoint)
    else chain[chain.length - 1] = { ...after, previous: checkpoint.previous }
  }
  const oldest = Math.max(newest.final?.unit ?? 1, newest.unit - checkpointRingSize + 1)
  let wanted = newest.previous
  if (wanted === null || wanted < oldest) return chain
  const place = { topic: systemTopics.checkpoints, partition: checkpointPartition(writerId) }
  for await (const records of readBackwards(queue, place)) {
    for (const { key, value } of records) {
      if (!value || ringSlotOf(writerId, key) === undefined) continue
      const checkpoint = decodeCheckpoint(value)
      // The ring is in the order of unit numbers, so the wanted one was overwritten.
      if (checkpoint.unit < wanted) return chain.reverse()
      if (checkpoint.unit > wanted) continue
      add(checkpoint)
      wanted = checkpoint.previous
      if (wanted === null || wanted < oldest) return chain.reverse()
    }
  }
  return chain.reverse()
}

/** The slot of a key `<writer id>/<slot>`. Another writer's id may begin with this one's and a slash. */
export function ringSlotOf(writerId: string, key: Uint8Array | null): number | undefined {
  const text = Buffer.from(key ?? []).toString()
  const slot = text.startsWith(`${writerId}/`) ? text.slice(writerId.length + 1) : ''
  return /^\d+$/.test(slot) && Number(slot) < checkpointRingSize ? Number(slot) : undefined
}

/**
 * Reads the newest checkpoint of a connector instance, and those of its units that can be reverted to, newest first, at
 * most 8,192. It does not disturb a run.
 */
export async function readCheckpoints(
  queue: Queue,
  writerId: string,
): Promise<{ readonly newest: Checkpoint | undefined; readonly history: readonly Checkpoint[] }> {
  const committed = await readCommittedState(queue, writerId, await readNewestCheckpoint(queue, writerId))
  return { newest: committed.newest, history: committed.history.toReversed() }
}

/** The topic of checkpoints does not exist before the first run. */
export async function readNewestCheckpoint(queue: Queue, writerId: string): Promise<Checkpoint | undefined> {
  try {
    return await readCheckpoint(queue, writerId)
  } catch (error) {
    if (error instanceof UnknownTopicError) return undefined
    throw error
  }
}
