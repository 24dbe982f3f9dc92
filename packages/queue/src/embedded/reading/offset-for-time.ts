import type { Engine } from '../engine.ts'
import type { Partition } from '../storage/topics.ts'

/**
 * The lowest offset of a record whose time is at or after `timeMs`. Where that may be one that was lost, it is the offset
 * at which the loss begins, so that whoever reads from there is told.
 */
export function findOffsetForTime(engine: Engine, partition: Partition, timeMs: number): bigint | undefined {
  const { atOneMoment, topics, batches } = engine
  return atOneMoment(() => {
    const earliest = topics.earliest(partition)
    const first = firstReaching(engine, partition, timeMs, earliest)
    for (const row of batches.rowsFrom(partition, first)) {
      if (row.bytesId === 0) return BigInt(Math.max(row.baseOffset, earliest))
      const batch = batches.load(partition, row)
      // The highest time so far may be that of a record which is no longer there.
      if (batch.maxTime < timeMs) continue
      for (const record of batch.from(BigInt(earliest)).records()) if (record.time >= timeMs) return record.offset
    }
    return undefined
  })
}

/** The offset from which on no row has a highest time so far below `timeMs`: these times never fall. */
function firstReaching({ batches }: Engine, partition: Partition, timeMs: number, earliest: number): number {
  let low = earliest
  let high = batches.end(partition)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const row = batches.rowAt(partition, middle)
    if (row.maxTime < timeMs) low = row.lastOffset + 1
    else high = Math.min(middle, row.baseOffset)
  }
  return Math.max(low, earliest)
}
