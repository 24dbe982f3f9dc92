import { setTimeout as wait } from 'node:timers/promises'
import { systemTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { Feeds } from '../feed/feeds.ts'

export interface QueueState {
  /** Whether the queue has answered within `deadlineMs`. */
  readonly up: boolean
  /** Topic → offsets that its feed has not read yet. Empty if the queue has not answered. */
  readonly feedLag: ReadonlyMap<string, bigint>
}

const deadlineMs = 1000
/** A scrape must not take long when the queue does not answer. */
const patienceMs = 100

const down: QueueState = { up: false, feedLag: new Map() }

/**
 * Asks the queue at each call. An answer that takes longer than `patienceMs` is in the result of the next call: until the
 * deadline the state before is returned.
 */
export function createQueueMeasure(queue: Queue, feeds: Feeds): () => Promise<QueueState> {
  let state: QueueState = { up: true, feedLag: new Map() }
  let asked: { readonly at: number; readonly answered: Promise<void> } | undefined
  return async () => {
    asked ??= {
      at: performance.now(),
      answered: measure(queue, feeds).then((found) => {
        state = found
        asked = undefined
      }),
    }
    await Promise.race([asked.answered, wait(patienceMs, undefined, { ref: false })])
    if (asked && performance.now() - asked.at > deadlineMs) state = down
    return state
  }
}

async function measure(queue: Queue, feeds: Feeds): Promise<QueueState> {
  const open = [...feeds.list()]
  const names = [systemTopics.registry, ...open.map(({ topic }) => topic.name)]
  const descriptions = await queue.describe(names).catch(() => undefined)
  if (!descriptions) return down
  const feedLag = new Map<string, bigint>()
  for (const { topic, partitions } of open) {
    const bounds = descriptions.find(({ name }) => name === topic.name)?.partitions
    if (!bounds) continue
    let lag = 0n
    for (const [partition, { to }] of partitions.entries()) {
      const end = bounds[partition]?.end ?? to
      if (end > to) lag += end - to
    }
    feedLag.set(topic.name, lag)
  }
  return { up: true, feedLag }
}
