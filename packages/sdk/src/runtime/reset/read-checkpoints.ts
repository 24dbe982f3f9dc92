import { type Checkpoint, readCheckpoint } from '@headrace/catalog'
import { type Queue, UnknownTopicError } from '@headrace/queue'
import { readCommittedState } from '../checkpoint/read-history.ts'

/**
 * Reads where a connector instance stands, and the checkpoints of its units that can still be reverted to, newest first:
 * the last 8,192 at most. It disturbs no run. Both are empty before the first unit.
 */
export async function readCheckpoints(
  queue: Queue,
  writerId: string,
): Promise<{ readonly newest: Checkpoint | undefined; readonly history: readonly Checkpoint[] }> {
  const committed = await readCommittedState(queue, writerId, await readNewest(queue, writerId))
  return { newest: committed.newest, history: committed.standing.toReversed() }
}

/** A queue that no connector has used yet has no checkpoints. */
async function readNewest(queue: Queue, writerId: string): Promise<Checkpoint | undefined> {
  try {
    return await readCheckpoint(queue, writerId)
  } catch (error) {
    if (error instanceof UnknownTopicError) return undefined
    throw error
  }
}
