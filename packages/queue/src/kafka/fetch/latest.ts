import { PositionLostError } from '../../errors.ts'
import type { QueueRecord } from '../../record-batch/record-batch.ts'
import { listOffset } from '../admin/list-offsets.ts'
import type { Cluster } from '../connection/cluster.ts'
import { read } from './read.ts'
import { stableEnd } from './stable-end.ts'

interface Place {
  readonly topic: string
  readonly partition: number
}

/**
 * The final committed record of a key. Reads backwards, in windows that grow, until it is found: at most four times as
 * many offsets as lie between it and the end, a page at a time.
 *
 * @throws {QueueUnavailableError} a transaction stayed open for too long.
 * @throws {UnknownTopicError}
 */
export async function latest(cluster: Cluster, place: Place, key: Uint8Array): Promise<QueueRecord | undefined> {
  const end = await stableEnd(cluster, place)
  const earliest = await listOffset(cluster, place, 'earliest')
  for (let upTo = end, window = firstWindow; upTo > earliest; window *= windowGrowth) {
    const from = upTo - window > earliest ? upTo - window : earliest
    const found = await lastWithKey(cluster, place, { key: Buffer.from(key), from, upTo })
    if (found) return found
    upTo = from
  }
  return undefined
}

/** Offsets that are read at first. */
const firstWindow = 256n
const windowGrowth = 4n
const pageBytes = 1024 * 1024

async function lastWithKey(
  cluster: Cluster,
  place: Place,
  { key, from, upTo }: { key: Buffer; from: bigint; upTo: bigint },
): Promise<QueueRecord | undefined> {
  let found: QueueRecord | undefined
  for (let offset = from; offset < upTo; ) {
    const page = await read(cluster, { ...place, offset }, { maxBytes: pageBytes }).catch((error: unknown) => {
      // Records were deleted meanwhile.
      if (error instanceof PositionLostError && error.earliest > offset) return { batches: [], next: error.earliest }
      throw error
    })
    if (page.next === offset) break
    for (const batch of page.batches) {
      for (const record of batch.records()) {
        if (record.offset < upTo && record.key && key.equals(record.key)) found = record
      }
    }
    offset = page.next
  }
  return found
}
