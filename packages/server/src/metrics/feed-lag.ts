import { setTimeout as wait } from 'node:timers/promises'
import type { Queue } from '@headrace/queue'
import type { Feeds } from '../feed/feeds.ts'

/** Collecting metrics must not wait for an unavailable queue. */
const deadlineMs = 1000

/** Topic → offsets that its feed is behind. Empty if the queue does not answer within `deadlineMs`. */
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
