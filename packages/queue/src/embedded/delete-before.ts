import { PositionLostError, TopicMismatchError } from '../errors.ts'
import type { Engine } from './engine.ts'
import type { Partition } from './storage/topics.ts'

/** Makes an offset the earliest, then removes the batches before it, some at a time: writers may commit in between. */
export async function deleteBefore(engine: Engine, partition: Partition, offset: bigint): Promise<void> {
  const { lock, topics, batches } = engine
  if (partition.cleanup !== 'delete') {
    const difference = `its cleanup is "${partition.cleanup}", and only compaction removes records of such a topic`
    throw new TopicMismatchError(partition.topic, difference)
  }
  const reached = await lock.run(() => {
    const earliest = BigInt(topics.earliest(partition))
    const end = BigInt(batches.end(partition))
    if (offset < 0n || offset > end) {
      throw new PositionLostError({ topic: partition.topic, partition: partition.number, offset }, { earliest, end })
    }
    if (offset > earliest) topics.setEarliest(partition, Number(offset))
    // What a removal that was broken off has left is removed as well.
    return offset > earliest ? Number(offset) : Number(earliest)
  })
  while (await lock.run(() => batches.removeBefore(partition, reached, batchesAtATime))) {}
}

/** As many as are removed within a few milliseconds. */
const batchesAtATime = 64
