import { type Checkpoint, readCheckpoint } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { Place, ServedTopic } from '../topics/served-topic.ts'

/** Says through which unit a reader has everything. */
export interface WholeUnits {
  /**
   * The number of the last unit of which a reader at `place` has seen every record of the topic; `undefined` while that
   * is not known. Asks the queue at most once a second for all readers of a connector.
   */
  through(topic: ServedTopic, place: Place): Promise<string | undefined>
}

const freshMs = 1000

export function createWholeUnits(queue: Queue): WholeUnits {
  const known = new Map<string, { at: number; checkpoint: Promise<Checkpoint | undefined> }>()
  return {
    async through({ name, registration }, { seq }) {
      const checkpoint = await newest(`${registration.lineage}/${registration.instance}`)
      const next = checkpoint?.nextSeq[name]?.[0]
      return checkpoint && next !== undefined && seq !== null && seq >= next ? `${checkpoint.unit}` : undefined
    },
  }

  function newest(writerId: string): Promise<Checkpoint | undefined> {
    const entry = known.get(writerId)
    if (entry && performance.now() - entry.at < freshMs) return entry.checkpoint
    // Without an answer a reader is told its place and no unit: less, and still true.
    const checkpoint = readCheckpoint(queue, writerId).catch(() => undefined)
    known.set(writerId, { at: performance.now(), checkpoint })
    return checkpoint
  }
}
