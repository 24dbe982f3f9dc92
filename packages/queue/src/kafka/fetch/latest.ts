import { setTimeout as delay } from 'node:timers/promises'
import { QueueUnavailableError } from '../../errors.ts'
import type { QueueRecord } from '../../record-batch/record-batch.ts'
import { listOffset } from '../admin/list-offsets.ts'
import type { Cluster } from '../connection/cluster.ts'
import { read } from './read.ts'

interface Place {
  readonly topic: string
  readonly partition: number
}

/**
 * The final committed record of a key: the checkpoint rule.
 *
 * Opening a writer does not wait for the transactions of *other* writers on the partition, and a reader of committed
 * records stops before the first of those that is open. So one's own committed record may lie where it cannot be read
 * yet. Therefore: take the high watermark, and wait until the last stable offset has passed it.
 *
 * @throws {QueueUnavailableError} a transaction stayed open for longer than the transaction timeout and 15 s.
 * @throws {UnknownTopicError}
 */
export async function latest(cluster: Cluster, place: Place, key: Uint8Array): Promise<QueueRecord | undefined> {
  const end = await listOffset(cluster, place, 'highWatermark')
  await waitUntilStable(cluster, place, end)
  const earliest = await listOffset(cluster, place, 'earliest')
  for (let upTo = end, window = firstWindow; upTo > earliest; window *= 4n) {
    const from = upTo - window > earliest ? upTo - window : earliest
    const found = await lastWithKey(cluster, place, { key: Buffer.from(key), from, upTo })
    if (found) return found
    upTo = from
  }
  return undefined
}

/** Offsets that are read at first; each further window reaches four times as far back. */
const firstWindow = 256n

async function waitUntilStable(cluster: Cluster, place: Place, offset: bigint): Promise<void> {
  const limitMs = cluster.settings.transactionTimeoutMs + 15_000
  const started = performance.now()
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    const stable = await listOffset(cluster, place, 'lastStable')
    if (stable >= offset) return
    const waitedMs = performance.now() - started
    if (waitedMs > limitMs) {
      throw new QueueUnavailableError(
        `"${place.topic}" partition ${place.partition} is held back at offset ${stable} of ${offset} ` +
          `by a transaction that has been open for more than ${limitMs / 1000} s.`,
      )
    }
    if (pauseMs === 256) cluster.log.info({ ...place, stable, offset }, 'waiting for open transactions')
    await delay(pauseMs, undefined, { signal: cluster.signal }).catch(() => {})
  }
}

async function lastWithKey(
  cluster: Cluster,
  place: Place,
  { key, from, upTo }: { key: Buffer; from: bigint; upTo: bigint },
): Promise<QueueRecord | undefined> {
  let found: QueueRecord | undefined
  for (let offset = from; offset < upTo; ) {
    const { batches, next } = await read(cluster, { ...place, offset }, { maxBytes: 1024 * 1024 })
    if (next === offset) break
    for (const batch of batches) {
      for (const record of batch.records()) {
        if (record.offset < upTo && record.key && key.equals(record.key)) found = record
      }
    }
    offset = next
  }
  return found
}
