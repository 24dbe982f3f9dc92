import { type OffsetRange, type QueueRecord, type RangeReader, readRange } from '@headrace/queue'

/** Small: most readers need the last record only. */
const firstWindow = 16n

export async function* newestFirst(
  queue: RangeReader,
  range: OffsetRange,
): AsyncGenerator<QueueRecord, void, undefined> {
  // What compaction removes, a later record replaces.
  for await (const batch of readRange(queue, range, { order: 'desc', firstWindow, onRemoved() {} }))
    yield* [...batch.records()].reverse()
}
