import { setTimeout as wait } from 'node:timers/promises'
import type { Queue } from '@headrace/queue'
import type { Feeds } from '../feed/feeds.ts'

/** Nobody who collects metrics waits for a queue that is away. */
const deadlineMs = 1000

/** How far each feed is behind its topic, in offsets; none where the queue does not answer soon. */
export async function measureFeedLag(queue: Queue, feeds: Feeds): Promise<ReadonlyMap<string, bigint>> {
  const open = [...feeds.list()]
  if (open.length === 0) return new Map()
  const described = queue.describe(open.map(({ topic }) => topic.name)).catch(() => [])
  const descriptions = await Promise.race([described, wait(deadlineMs, [], { ref: false })])
  const lags = new Map<string, bigint>()
  for (const { topic, partitions } of open) {
    const bounds = descriptions.find(({ name }) => name === topic.name)?.partitions
    if (!bounds) continue
    let lag = 0n
    for (const [partition, { to }] of partitions.entries()) {
      const end = bounds[partition]?.end ?? to
      if (end > to) lag += end - to
    }
    lags.set(topic.name, lag)
  }
  return lags
}
