import { PositionLostError } from '../errors.ts'
import type { Engine } from './engine.ts'
import type { Partition } from './topics.ts'

/** Makes an offset the earliest, then removes the batches before it, some at a time: writers may commit in between. */
export async function deleteBefore(engine: Engine, partition: Partition, offset: bigint): Promise<void> {
  const { lock, topics, batches } = engine
  const reached = await lock.run(() => {
    const earliest = BigInt(topics.earliest(partition))
    const end = BigInt(batches.end(partition))
    if (offset < 0n || offset > end) {
      throw new PositionLostError({ topic: partition.topic, partition: partition.number, offset }, { earliest, end })
    }
    if (offset <= earliest) return false
    topics.setEarliest(partition, Number(offset))
    return true
  })
  if (!reached) return
  while (await lock.run(() => batches.removeBefore(partition, Number(offset), batchesAtATime))) {}
}

const batchesAtATime = 256
