import type { PartitionOffset } from '../queue.ts'
import type { QueueRecord } from '../record-batch/record-batch.ts'
import { type RangeReader, readRange } from './read-range.ts'

/**
 * Reads at least the newest record of each key that was committed before the call, from an offset on. Returns the
 * offset after the last record. Reads later records too: one of them may be why compaction has removed an earlier one.
 *
 * @throws As `readRange`.
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

/** Bounds the read: late rounds are too short for a compaction. */
export const maxRounds = 10
