import { type OffsetRange, type Queue, type QueueRecord, readRange } from '@headrace/queue'

/** Records of one partition, in non-empty lists. */
type RecordLists = AsyncGenerator<readonly QueueRecord[], void, undefined>

/**
 * Reads a range, oldest first.
 *
 * @throws {PositionLostError} `from` has been removed, the partition has become shorter, or the topic was recreated.
 */
export async function* readForward(queue: Queue, range: OffsetRange): RecordLists {
  for await (const batch of readRange(queue, range)) yield [...batch.records()]
}

/** Reads a range, newest first. */
export async function* readBackward(queue: Queue, range: OffsetRange): RecordLists {
  for await (const batch of readRange(queue, range, { order: 'desc' })) yield [...batch.records()].reverse()
}
