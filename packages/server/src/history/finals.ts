import { readCheckpoint } from '@headrace/catalog'
import { type Queue, RetryableError } from '@headrace/queue'
import type { ServedTopic } from '../topics/served-topic.ts'

/** What can no longer be reverted, which only grows. */
export interface Finals {
  /**
   * Whether all records before these seqs are final, one seq for each partition. May be up to a second late. Also false
   * while the queue does not answer.
   */
  covers(topic: ServedTopic, seqs: readonly number[]): Promise<boolean>
}

interface KnownFinal {
  readonly id: string
  readonly seqs: readonly number[]
  readonly readAt: number
}

const freshMs = 1000

/** @param clock - Monotonic, in ms. */
export function createFinals(queue: Queue, clock: () => number = () => performance.now()): Finals {
  const known = new Map<string, Promise<KnownFinal>>()
  return {
    async covers(topic, seqs) {
      if (seqs.every((seq) => seq === 0)) return true
      const found = await known.get(topic.name)
      if (found?.id === topic.id) {
        if (reach(found, seqs)) return true
        if (clock() - found.readAt < freshMs) return false
      }
      return reach(await read(topic), seqs)
    },
  }

  async function read(topic: ServedTopic): Promise<KnownFinal> {
    const reading = readFinal(topic)
    known.set(topic.name, reading)
    return reading
  }

  async function readFinal({ id, name, writerId }: ServedTopic): Promise<KnownFinal> {
    const readAt = clock()
    const checkpoint = await readCheckpoint(queue, writerId).catch((error) => {
      if (error instanceof RetryableError) return undefined
      throw error
    })
    return { id, seqs: checkpoint?.final?.nextSeq[name] ?? [], readAt }
  }
}

function reach({ seqs }: KnownFinal, wanted: readonly number[]): boolean {
  return wanted.every((seq, partition) => seq <= (seqs[partition] ?? 0))
}
