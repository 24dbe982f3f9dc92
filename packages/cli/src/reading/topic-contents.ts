import { findLast, findSeq } from '@headrace/catalog'
import { HeadraceError, type Queue, type TopicDescription } from '@headrace/queue'

export interface TopicContents {
  /** Unknown if another program wrote them, which sets no sequence numbers. */
  readonly records: number | null
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
