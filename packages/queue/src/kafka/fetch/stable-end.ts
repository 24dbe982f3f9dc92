import { setTimeout as delay } from 'node:timers/promises'
import { QueueUnavailableError } from '../../errors.ts'
import type { TopicPartition } from '../../queue.ts'
import { startStopwatch } from '../../stopwatch.ts'
import { listOffset } from '../admin/list-offsets.ts'
import type { Cluster } from '../connection/cluster.ts'

/**
 * The checkpoint rule: the high watermark, once everything before it can be read.
 *
 * Opening a writer does not wait for the transactions of *other* writers on the partition, and a reader of committed
 * records stops before the first of those that is open. So one's own committed record may lie where it cannot be read
 * yet. Therefore: take the high watermark, and wait until the last stable offset has passed it. How long the
 * transaction of another may stay open only that one knows. It is taken to be no longer than ours.
 *
 * @throws {QueueUnavailableError} a transaction stayed open for longer than the transaction timeout and 15 s.
 * @throws {UnknownTopicError}
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
        `"${place.topic}" partition ${place.partition} is held back at offset ${stable} of ${end} ` +
          `by a transaction that has been open for more than ${limitMs / 1000} s. Its writer must end it.`,
      )
    }
    if (pauseMs === loggedPauseMs) {
      cluster.log.info({ ...place, stable, end, limitMs }, 'waiting for the open transaction of another writer')
    }
    await delay(pauseMs, undefined, { signal: cluster.signal }).catch(() => {})
  }
}

const firstPauseMs = 2
/** Waits as short as those before are usual and not worth a line. */
const loggedPauseMs = 256
const longestPauseMs = 512
