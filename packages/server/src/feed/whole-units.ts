import { type Checkpoint, readCheckpoint } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { Place, ServedTopic } from '../topics/served-topic.ts'

export interface WholeUnits {
  /**
   * The last unit whose records a reader at these places has completely, if it is known. Reads the queue at most once a
   * second per connector.
   */
  through(topic: ServedTopic, places: readonly Place[]): Promise<string | undefined>
}

const freshMs = 1000

export function createWholeUnits(queue: Queue): WholeUnits {
  const known = new Map<string, Promise<Checkpoint | undefined>>()
  return {
    async through({ name, writerId }, places) {
      const checkpoint = writerId === undefined ? undefined : await newest(writerId)
      const next = checkpoint?.nextSeq[name]
      if (!checkpoint || !next) return undefined
      const isWhole = places.every(({ seq }, partition) => (seq ?? 0) >= (next[partition] ?? 0))
      return isWhole ? `${checkpoint.unit}` : undefined
    },
  }

  function newest(writerId: string): Promise<Checkpoint | undefined> {
    const found = known.get(writerId)
    if (found) return found
    // If the queue does not answer, the heartbeat names no unit.
    const checkpoint = readCheckpoint(queue, writerId).catch(() => undefined)
    known.set(writerId, checkpoint)
    void checkpoint.then(() => setTimeout(() => known.delete(writerId), freshMs).unref())
    return checkpoint
  }
}
