import { setTimeout as delay } from 'node:timers/promises'
import { QueueUnavailableError } from '../../errors.ts'
import type { TopicPartition } from '../../queue.ts'
import { startStopwatch } from '../../stopwatch.ts'
import { listOffset } from '../admin/list-offsets.ts'
import type { Cluster } from '../connection/cluster.ts'

/**
 * The high watermark, once readers see everything before it: they stop before the first open transaction. The timeout
 * of another writer is assumed to be at most ours.
 */
export async function stableEnd(cluster: Cluster, place: TopicPartition): Promise<bigint> {
  const end = await listOffset(cluster, place, 'highWatermark')
  const limitMs = cluster.settings.transactionTimeoutMs + 15_000
  using stopwatch = startStopwatch()
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const stable = await listOffset(cluster, place, 'lastStable')
    if (stable >= end) return end
    if (stopwatch.elapsedMs > limitMs) {
      throw new QueueUnavailableError(
        `"${place.topic}" partition ${place.partition} could be read only up to offset ${stable} of ${end}: ` +
          `a transaction has been open for more than ${limitMs / 1000} s. Its writer must end it.`,
      )
    }
    if (pauseMs === loggedPauseMs) {
      cluster.log.info({ ...place, stable, end, limitMs }, 'waiting for the open transaction of another writer')
    }
    await delay(pauseMs, undefined, { signal: cluster.signal }).catch(() => {})
  }
}

const firstPauseMs = 2
const loggedPauseMs = 256
const longestPauseMs = 512
