import { type DeadInterval, readDeadInterval, reorganisationsPartition, systemTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { readForward } from './read-forward.ts'

/**
 * Reads which seqs `_headrace.reorgs` tells to be dead in the topics of a writer, and of those that share its partition:
 * the newest interval of each key.
 *
 * @throws {UserError} `invalid_reorganisation`
 */
export async function readToldIntervals(
  queue: Queue,
  writerId: string,
  signal: AbortSignal,
): Promise<readonly DeadInterval[]> {
  const place = { topic: systemTopics.reorgs, partition: reorganisationsPartition(writerId) }
  const [topic] = await queue.describe([place.topic])
  const from = topic?.partitions[place.partition]?.earliest
  if (from === undefined) return []
  const upTo = await queue.highWatermark(place.topic, place.partition)
  const newest = new Map<string, DeadInterval>()
  for await (const batch of readForward(queue, { ...place, from, upTo }, { signal })) {
    for (const record of batch.records()) {
      const interval = readDeadInterval(record)
      const key = Buffer.from(record.key ?? []).toString()
      if (interval) newest.set(key, interval)
      else newest.delete(key)
    }
  }
  return [...newest.values()]
}
