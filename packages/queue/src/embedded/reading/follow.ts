import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PartitionOffset } from '../../queue.ts'
import type { RecordBatch } from '../../record-batch/record-batch.ts'
import type { Engine } from '../engine.ts'
import type { Partition } from '../storage/topics.ts'
import { partitionAt, readNow } from './read.ts'

/** Goes round the partitions that have something, a piece of each at a time, and waits where none has. */
export async function* follow(
  engine: Engine,
  positions: readonly PartitionOffset[],
  signal: AbortSignal,
): AsyncGenerator<RecordBatch, void, undefined> {
  const offsets = new Map<Partition, bigint>()
  for (const at of positions) offsets.set(partitionAt(engine, at), at.offset)
  if (offsets.size === 0) return
  let grown: readonly Partition[] = [...offsets.keys()]
  while (!signal.aborted && !engine.closing.aborted) {
    const behind: Partition[] = []
    for (const partition of grown) {
      const { batches, next, end } = readNow(engine, partition, offsets.get(partition)!, bytesAtATime)
      offsets.set(partition, next)
      if (next < end) behind.push(partition)
      for (const batch of batches) {
        yield batch
        if (signal.aborted || engine.closing.aborted) return
      }
    }
    if (behind.length === 0) grown = await engine.changes.wait(offsets, { signal })
    // Reading does not wait for anything: without this, a long history would keep timers and sockets from their turn.
    else grown = await nextTurn(behind)
  }
}

const bytesAtATime = 1024 * 1024
