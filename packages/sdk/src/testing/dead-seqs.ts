import { readDeadInterval, systemTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { readTopic } from './read-topic.ts'

/** Every dead seq of a partition, in order. */
export type DeadSeqsOf = (topic: string, partition: number) => number[]

/** Reads which records `_headrace.reorgs` says are dead: of all topics at once, of which there can be hundreds. */
export async function readDeadSeqs(queue: Queue): Promise<DeadSeqsOf> {
  const newest = new Map<string, NonNullable<ReturnType<typeof readDeadInterval>>>()
  for await (const record of readTopic(queue, systemTopics.reorgs)) {
    const interval = readDeadInterval(record)
    if (interval) newest.set(Buffer.from(record.key!).toString(), interval)
  }
  const byPartition = Map.groupBy(newest.values(), ({ topic, partition }) => `${topic}/${partition}`)
  return (topic, partition) => {
    const dead = new Set<number>()
    for (const { first, last } of byPartition.get(`${topic}/${partition}`) ?? [])
      for (let seq = first; seq <= last; seq++) dead.add(seq)
    return [...dead].sort((one, other) => one - other)
  }
}
