import { findLast, findSeq } from '@headrace/catalog'
import {
  HeadraceError,
  type PartitionBounds,
  type Queue,
  type QueueRecord,
  type TopicDescription,
} from '@headrace/queue'
import { readBackward, readForward } from './partition-records.ts'

/** `null`: unknown. */
export interface TopicContents {
  /** Unknown if another program wrote them, which sets no sequence numbers. */
  readonly records: number | null
  /** Ms since the Unix epoch. */
  readonly newest: number | null
}

/** `position_lost`: retention has removed records since the topic was described. */
const unknownFor = new Set(['permission_denied', 'position_lost'])

export async function readTopicContents(queue: Queue, topic: TopicDescription): Promise<TopicContents> {
  try {
    const all = await Promise.all(topic.partitions.map((_, partition) => readPartition(queue, topic, partition)))
    const times = all.flatMap(({ newest }) => newest ?? [])
    return {
      records: all.some(({ records }) => records === null) ? null : all.reduce((sum, one) => sum + one.records!, 0),
      newest: times.length > 0 ? Math.max(...times) : null,
    }
  } catch (error) {
    if (error instanceof HeadraceError && unknownFor.has(error.code)) return { records: null, newest: null }
    throw error
  }
}

async function readPartition(queue: Queue, topic: TopicDescription, partition: number): Promise<TopicContents> {
  const [last] = await findLast(queue, topic, partition, 1)
  if (!last) return { records: 0, newest: null }
  const first = await findSeq(queue, topic, partition, 0)
  const isCounted = last.seq !== null && first.seq !== null
  return { records: isCounted ? last.seq - first.seq + 1 : null, newest: last.time }
}

export interface PartitionSummary {
  readonly partition: number
  /** Offsets; `end` is exclusive. */
  readonly earliest: string
  readonly end: string
  /** RFC 3339; `null` in an empty partition. */
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
