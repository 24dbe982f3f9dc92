import { PositionLostError } from '../../errors.ts'
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
 *
 * @throws {UnknownTopicError}
 */
export async function offsetForTime(cluster: Cluster, place: Place, timeMs: number): Promise<bigint | undefined> {
  for (;;) {
    const [earliest, end] = await Promise.all([
      listOffset(cluster, place, 'earliest'),
      listOffset(cluster, place, 'lastStable'),
    ])
    try {
      return await search(cluster, place, { timeMs, earliest, end })
    } catch (error) {
      // Records were deleted meanwhile.
      if (!(error instanceof PositionLostError)) throw error
    }
  }
}

async function search(
  cluster: Cluster,
  place: Place,
  { timeMs, earliest, end }: { timeMs: number; earliest: bigint; end: bigint },
): Promise<bigint | undefined> {
  let low = earliest
  let high = end
  let found: StoredBatch | undefined
  while (low < high) {
    const middle = low + (high - low) / 2n
    const probed = await firstBatch(cluster, place, { from: middle, upTo: high })
    // It may begin before the middle, and its earlier records count too.
    const batch = probed?.from(earliest)
    if (batch && batch.maxTime >= timeMs) found = batch
    if (!batch) high = middle
    else if (batch.maxTime < timeMs) low = batch.nextOffset
    else high = batch.baseOffset < middle ? batch.baseOffset : middle
  }
  for (; found; found = await firstBatch(cluster, place, { from: found.nextOffset, upTo: end })) {
    for (const { time, offset } of found.records()) if (time >= timeMs) return offset
  }
  return undefined
}

/** The first visible batch that reaches beyond `from`, if it begins before `upTo`. */
async function firstBatch(
  cluster: Cluster,
  place: Place,
  { from, upTo }: { from: bigint; upTo: bigint },
): Promise<StoredBatch | undefined> {
  let maxBytes = oneBatch
  for (let offset = from; offset < upTo; ) {
    const { batches, next } = await read(cluster, { ...place, offset }, { maxBytes })
    const [batch] = batches
    if (batch) return batch.baseOffset < upTo ? batch : undefined
    if (next === offset) return undefined
    offset = next
    // What is not visible is long where one transaction was aborted after the other.
    maxBytes = Math.min(Math.max(maxBytes * 4, 64 * 1024), 1024 * 1024)
  }
  return undefined
}

/** The broker answers at least one batch. */
const oneBatch = 1
