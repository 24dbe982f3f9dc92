import { type Checkpoint, readCheckpoint } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { Place, ServedTopic } from '../topics/served-topic.ts'

/** Says through which unit a reader has everything. */
export interface WholeUnits {
  /**
   * The number of the last unit of which a reader at these places has seen every record of the topic; `undefined` while
   * that is not known. Asks the queue once at a time for all readers of a connector, and at most once a second.
   */
  through(topic: ServedTopic, places: readonly Place[]): Promise<string | undefined>
}

const freshMs = 1000

export function createWholeUnits(queue: Queue): WholeUnits {
  const known = new Map<string, Promise<Checkpoint | undefined>>()
  return {
    async through({ name, registration }, places) {
      const checkpoint = await newest(`${registration.lineage}/${registration.instance}`)
      const next = checkpoint?.nextSeq[name]
      if (!checkpoint || !next) return undefined
      const isWhole = places.every(({ seq }, partition) => (seq ?? 0) >= (next[partition] ?? 0))
      return isWhole ? `${checkpoint.unit}` : undefined
    },
  }

  function newest(writerId: string): Promise<Checkpoint | undefined> {
    const found = known.get(writerId)
    if (found) return found
    // Without an answer a reader is told its place and no unit: less, and still true.
    const checkpoint = readCheckpoint(queue, writerId).catch(() => undefined)
    known.set(writerId, checkpoint)
    void checkpoint.then(() => setTimeout(() => known.delete(writerId), freshMs).unref())
    return checkpoint
  }
}
