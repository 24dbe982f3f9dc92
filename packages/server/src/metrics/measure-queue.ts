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

export async function measureQueue(queue: Queue, feeds: Feeds): Promise<QueueState> {
  const open = [...feeds.list()]
  const names = [systemTopics.registry, ...open.map(({ topic }) => topic.name)]
  const described = queue.describe(names).catch(() => undefined)
  const descriptions = await Promise.race([described, wait(deadlineMs, undefined, { ref: false })])
  const feedLag = new Map<string, bigint>()
  if (!descriptions) return { up: false, feedLag }
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
