import type { PartitionBounds, Queue, QueueRecord } from '@headrace/queue'
import { readBackward, readForward } from './partition-records.ts'

export interface PartitionSummary {
  readonly partition: number
  /** Offsets; `end` is exclusive. */
  readonly earliest: string
  readonly end: string
  /** Times of the oldest and the newest record, RFC 3339; `null` in an empty partition. */
  readonly oldest: string | null
  readonly newest: string | null
}

export async function describePartition(
  queue: Queue,
  place: { readonly topic: string; readonly topicId: string; readonly partition: number },
  { earliest, end }: PartitionBounds,
): Promise<PartitionSummary> {
  const range = { ...place, from: earliest, to: end }
  const [oldest, newest] = [await firstOf(readForward(queue, range)), await firstOf(readBackward(queue, range))]
  return {
    partition: place.partition,
    earliest: `${earliest}`,
    end: `${end}`,
    oldest: timeOf(oldest),
    newest: timeOf(newest),
  }
}

async function firstOf(records: AsyncIterable<readonly QueueRecord[]>): Promise<QueueRecord | undefined> {
  for await (const [record] of records) if (record) return record
  return undefined
}

function timeOf(record: QueueRecord | undefined): string | null {
  return record ? new Date(record.time).toISOString() : null
}
