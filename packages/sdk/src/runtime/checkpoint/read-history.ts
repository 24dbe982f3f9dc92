import {
  type Checkpoint,
  checkpointPartition,
  checkpointRingSize,
  decodeCheckpoint,
  systemTopics,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { readBackwards } from '../revert/read-backwards.ts'
import type { CommittedState } from './run-state.ts'

/** Reads what a writer's run goes on from, given its newest checkpoint. */
export async function readCommittedState(
  queue: Queue,
  writerId: string,
  newest: Checkpoint | undefined,
): Promise<CommittedState> {
  return { newest, standing: newest && !newest.fromStart ? await readHistory(queue, writerId, newest) : [] }
}

/**
 * Reads the checkpoints of the units that still stand and can be taken back, oldest first, the newest one included.
 *
 * A writer's ring holds one of each unit, those of units that were taken back among them: the standing ones are a chain,
 * each naming the one before. It ends at the final unit, or where the ring has been written over.
 *
 * Of units with the same checkpoint that follow each other, the newest stands for all: they are told apart by their
 * checkpoints. A reset makes such a unit.
 */
async function readHistory(queue: Queue, writerId: string, newest: Checkpoint): Promise<Checkpoint[]> {
  const chain = [newest]
  const add = (checkpoint: Checkpoint): void => {
    const after = chain.at(-1)!
    if (JSON.stringify(after.position) !== JSON.stringify(checkpoint.position)) chain.push(checkpoint)
    else chain[chain.length - 1] = { ...after, previous: checkpoint.previous }
  }
  const ringKey = Buffer.from(`${writerId}/`)
  const oldest = Math.max(newest.final?.unit ?? 1, newest.unit - checkpointRingSize + 1)
  let wanted = newest.previous
  if (wanted === null || wanted < oldest) return chain
  const place = { topic: systemTopics.checkpoints, partition: checkpointPartition(writerId) }
  for await (const records of readBackwards(queue, place)) {
    for (const { key, value } of records) {
      if (!key || !value || !isRingKey(key, ringKey)) continue
      const checkpoint = decodeCheckpoint(value)
      // Units lie in the order of their numbers: the wanted one is not kept any more.
      if (checkpoint.unit < wanted) return chain.reverse()
      if (checkpoint.unit > wanted) continue
      add(checkpoint)
      wanted = checkpoint.previous
      if (wanted === null || wanted < oldest) return chain.reverse()
    }
  }
  return chain.reverse()
}

/** `<writer id>/<number>`: another writer's id may begin with this one's and a slash. */
function isRingKey(key: Uint8Array, prefix: Buffer): boolean {
  if (key.length <= prefix.length || prefix.compare(key, 0, prefix.length) !== 0) return false
  return key.subarray(prefix.length).every((byte) => byte >= 0x30 && byte <= 0x39)
}
