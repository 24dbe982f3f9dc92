import { DamagedBatchError, PositionLostError } from '../errors.ts'
import type { ReadResult } from '../queue.ts'
import type { StoredBatch } from '../record-batch/stored-batch.ts'
import type { Engine } from './engine.ts'
import type { Partition } from './topics.ts'

/**
 * Reads what is there now, without waiting.
 *
 * @throws {PositionLostError}
 */
export function readNow(engine: Engine, partition: Partition, offset: bigint, maxBytes: number): ReadResult {
  return engine.atOneMoment(() => {
    const earliest = BigInt(engine.topics.earliest(partition))
    const end = BigInt(engine.batches.end(partition))
    if (offset < earliest || offset > end) {
      throw new PositionLostError({ topic: partition.topic, partition: partition.number, offset }, { earliest, end })
    }
    const batches = offset === end ? [] : takeBatches(engine, partition, offset, maxBytes)
    return { batches, next: batches.at(-1)?.nextOffset ?? offset, end }
  })
}

function takeBatches({ batches }: Engine, partition: Partition, offset: bigint, maxBytes: number): StoredBatch[] {
  const taken: StoredBatch[] = []
  let bytes = 0
  try {
    for (const batch of batches.from(partition, Number(offset))) {
      bytes += batch.byteLength
      if (taken.length > 0 && bytes > maxBytes) break
      taken.push(batch.baseOffset < offset ? batch.from(offset) : batch)
    }
  } catch (error) {
    // What lies before the damage is good. Whoever goes on from there is told.
    if (!(error instanceof DamagedBatchError) || taken.length === 0) throw error
  }
  return taken
}
