import { readDeadInterval, systemTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { readTopic } from './read-topic.ts'

/** Every seq of a partition that `_headrace.reorgs` tells to be dead, in order. */
export async function readDeadSeqs(queue: Queue, topic: string, partition: number): Promise<number[]> {
  const newest = new Map<string, { readonly first: number; readonly last: number }>()
  for await (const record of readTopic(queue, systemTopics.reorgs)) {
    const interval = readDeadInterval(record)
    if (interval?.topic !== topic || interval.partition !== partition) continue
    newest.set(Buffer.from(record.key!).toString(), interval)
  }
  const dead = new Set<number>()
  for (const { first, last } of newest.values()) for (let seq = first; seq <= last; seq++) dead.add(seq)
  return [...dead].sort((one, other) => one - other)
}
