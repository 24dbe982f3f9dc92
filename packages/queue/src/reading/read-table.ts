import type { PartitionOffset } from '../queue.ts'
import type { QueueRecord } from '../record-batch/record-batch.ts'
import { type RangeReader, readRange } from './read-range.ts'

/**
 * Reads a partition of a compacted topic from an offset to its end, and returns the offset after the records that were
 * read: for each key, at least its newest record of those committed before the call.
 *
 * A record may be compacted away before it is read, because a later one replaces it. So what is written in the meantime
 * is read too.
 *
 * @throws as `readRange` does.
 */
export async function readTable(
  queue: RangeReader,
  { offset, ...place }: PartitionOffset,
  onRecord: (record: QueueRecord) => void,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<bigint> {
  let from = offset
  for (let round = 0; round < maxRounds; round++) {
    const to = await queue.highWatermark(place.topic, place.partition)
    if (to === from) break
    for await (const batch of readRange(queue, { ...place, from, to }, signal && { signal }))
      for (const record of batch.records()) onRecord(record)
    from = to
  }
  return from
}

/** Where something is written all the time, there is always more. A round is soon too short for a compaction. */
export const maxRounds = 10
