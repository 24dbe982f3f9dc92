import { type DeadInterval, readDeadInterval, reorganisationsPartition, systemTopics } from '@headrace/catalog'
import { type Queue, type QueueRecord, UserError } from '@headrace/queue'
import type { Report } from './finding.ts'
import { readForward } from './read-forward.ts'

export interface ToldIntervalsOptions {
  /** Full names of those whose intervals matter. */
  readonly topics: ReadonlySet<string>
  readonly signal: AbortSignal
  readonly report: Report
}

/**
 * Reads which seqs `_headrace.reorgs` tells to be dead in the topics of a writer, and of those that share its partition:
 * the newest interval of each key. What cannot be read, or has the key of another interval, is reported and left out.
 */
export async function readToldIntervals(
  queue: Queue,
  writerId: string,
  { topics, signal, report }: ToldIntervalsOptions,
): Promise<readonly DeadInterval[]> {
  const place = { topic: systemTopics.reorgs, partition: reorganisationsPartition(writerId) }
  const [topic] = await queue.describe([place.topic])
  const from = topic?.partitions[place.partition]?.earliest
  if (from === undefined) return []
  const upTo = await queue.highWatermark(place.topic, place.partition)
  const newest = new Map<string, DeadInterval>()
  const unreadable = new Map<string, bigint>()
  for await (const batch of readForward(queue, { ...place, from, upTo }, { signal })) {
    for (const record of batch.records()) {
      const key = Buffer.from(record.key ?? []).toString()
      newest.delete(key)
      const interval = readInterval(record)
      if (interval && key === keyOf(interval)) newest.set(key, interval)
      else if (interval !== undefined) unreadable.set(key, record.offset)
      if (interval === undefined || newest.has(key)) unreadable.delete(key)
    }
  }
  for (const [key, offset] of unreadable) {
    const name = key.replace(/(\/\d+){2}$/, '')
    if (!topics.has(name)) continue
    const message = `The interval "${key}" of "${place.topic}" cannot be read, or is that of another key.`
    await report({
      code: 'dead_interval_unreadable',
      message,
      topic: name,
      partition: Number(key.split('/').at(-2)),
      offset: `${offset}`,
    })
  }
  return [...newest.values()]
}

function keyOf({ topic, partition, first }: DeadInterval): string {
  return `${topic}/${partition}/${first}`
}

/** `null` where it cannot be read, `undefined` for a tombstone. */
function readInterval(record: QueueRecord): DeadInterval | null | undefined {
  try {
    return readDeadInterval(record)
  } catch (error) {
    if (error instanceof UserError) return null
    throw error
  }
}
