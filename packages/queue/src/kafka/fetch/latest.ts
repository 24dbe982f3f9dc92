import { setTimeout as delay } from 'node:timers/promises'
import { QueueUnavailableError } from '../../errors.ts'
import type { TopicPartition } from '../../queue.ts'
import { readRange } from '../../reading/read-range.ts'
import { maxRounds } from '../../reading/read-table.ts'
import type { QueueRecord } from '../../record-batch/record-batch.ts'
import { startStopwatch } from '../../stopwatch.ts'
import { listOffset } from '../admin/list-offsets.ts'
import type { Cluster } from '../connection/cluster.ts'
import { confirmLeader } from './high-watermark.ts'
import { rangeReader, retryIfTruncated } from './range-reader.ts'

/** Reads backwards. */
export function latest(cluster: Cluster, place: TopicPartition, key: Uint8Array): Promise<QueueRecord | undefined> {
  const wanted = Buffer.from(key)
  return retryIfTruncated(async () => {
    await confirmLeader(cluster, place)
    let from = await listOffset(cluster, place, 'earliest')
    for (let round = 0; round < maxRounds; round++) {
      const to = await stableEnd(cluster, place)
      if (to <= from) break
      const range = { ...place, from, to }
      // Records that deleteBefore removes during the read are not the newest of their key.
      for await (const batch of readRange(rangeReader(cluster), range, { order: 'desc', onRemoved() {} })) {
        const found = [...batch.records()].findLast((record) => record.key && wanted.equals(record.key))
        if (found) return found
      }
      // Compaction may have removed the record because of a newer one after `to`.
      from = to
    }
    return undefined
  })
}

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
