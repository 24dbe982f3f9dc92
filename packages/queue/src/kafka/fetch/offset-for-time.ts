import type { StoredBatch } from '../../record-batch/stored-batch.ts'
import { listOffset } from '../admin/list-offsets.ts'
import type { Cluster } from '../connection/cluster.ts'
import { read } from './read.ts'

interface Place {
  readonly topic: string
  readonly partition: number
}

/**
 * The lowest offset of a committed record whose time is at or after `timeMs`, by binary search: times do not go back
 * within a partition.
 *
 * The broker's own search (ListOffsets by time) counts transaction markers, which carry the wall clock, so that for
 * times of a source it answers the first marker.
 */
export async function offsetForTime(cluster: Cluster, place: Place, timeMs: number): Promise<bigint | undefined> {
  const [earliest, end] = await Promise.all([
    listOffset(cluster, place, 'earliest'),
    listOffset(cluster, place, 'lastStable'),
  ])
  let low = earliest
  let high = end
  let candidate: StoredBatch | undefined
  while (low < high) {
    const middle = low + (high - low) / 2n
    const batch = await firstBatchFrom(cluster, place, { offset: middle, upTo: high })
    if (!batch) high = middle
    else if (batch.maxTime < timeMs) low = batch.nextOffset
    else {
      candidate = batch
      high = middle
    }
  }
  // The last probe may have begun inside the batch, and its earlier records count too.
  const records = candidate?.from(earliest).records() ?? []
  for (const { time, offset } of records) if (time >= timeMs) return offset
  return undefined
}

async function firstBatchFrom(
  cluster: Cluster,
  place: Place,
  { offset, upTo }: { offset: bigint; upTo: bigint },
): Promise<StoredBatch | undefined> {
  for (let at = offset; at < upTo; ) {
    const { batches, next } = await read(cluster, { ...place, offset: at }, { maxBytes: oneBatch })
    const [batch] = batches
    if (batch) return batch.baseOffset < upTo ? batch : undefined
    if (next === at) return undefined
    at = next
  }
  return undefined
}

/** The broker answers at least one batch. */
const oneBatch = 1
