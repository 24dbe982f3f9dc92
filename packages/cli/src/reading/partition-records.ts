import { type OffsetRange, type Queue, type QueueRecord, readRange } from '@headrace/queue'

type RecordLists = AsyncGenerator<readonly QueueRecord[], void, undefined>

export async function* readForward(queue: Queue, range: OffsetRange): RecordLists {
  for await (const batch of readRange(queue, range)) yield [...batch.records()]
}

export async function* readBackward(queue: Queue, range: OffsetRange): RecordLists {
  for await (const batch of readRange(queue, range, { order: 'desc' })) yield [...batch.records()].reverse()
}
