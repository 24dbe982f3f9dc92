import { readCheckpoint } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { ServedTopic } from '../topics/served-topic.ts'

/** What can no longer be reverted. It only grows. */
export interface Finals {
  /**
   * Whether all records before these seqs, one for each partition, are known to be final. Waits for nothing: it reads
   * the checkpoint for later calls, so it learns of new final records late.
   */
  covers(topic: ServedTopic, seqs: readonly number[]): boolean
}

interface KnownFinal {
  readonly topicId: string
  readonly seqs: readonly number[]
  readonly readAt: number
}

/** Ms after which a checkpoint is read again. */
const freshMs = 1000

/** @param clock - Monotonic, in ms. */
export function createFinals(queue: Queue, clock: () => number = () => performance.now()): Finals {
  const known = new Map<string, KnownFinal>()
  const reading = new Set<string>()
  return {
    covers(topic, seqs) {
      const found = known.get(topic.name)
      const isOfTopic = found?.topicId === topic.id
      if (isOfTopic && seqs.every((seq, partition) => seq <= (found.seqs[partition] ?? 0))) return true
      if (seqs.every((seq) => seq === 0)) return true
      if (!isOfTopic || clock() - found.readAt >= freshMs) void readFinal(topic)
      return false
    },
  }

  async function readFinal({ id, name, writerId }: ServedTopic): Promise<void> {
    if (reading.has(name)) return
    reading.add(name)
    const readAt = clock()
    // The reader of the page needs no checkpoint. Without one nothing is final.
    const checkpoint = writerId === undefined ? undefined : await readCheckpoint(queue, writerId).catch(() => undefined)
    known.set(name, { topicId: id, seqs: checkpoint?.final?.nextSeq[name] ?? [], readAt })
    reading.delete(name)
  }
}
