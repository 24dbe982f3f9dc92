import type { Engine } from './engine.ts'
import type { Partition } from './topics.ts'

/** The lowest offset of a record whose time is at or after `timeMs`. */
export function findOffsetForTime(engine: Engine, partition: Partition, timeMs: number): bigint | undefined {
  return engine.atOneMoment(() => {
    const earliest = engine.topics.earliest(partition)
    const first = firstReaching(engine, partition, timeMs, earliest)
    for (const batch of engine.batches.from(partition, first)) {
      // The highest time so far may be that of a record which has been deleted since.
      if (batch.maxTime < timeMs) continue
      for (const record of batch.from(BigInt(earliest)).records()) if (record.time >= timeMs) return record.offset
    }
    return undefined
  })
}

/** The offset from which on no batch has a highest time so far below `timeMs`: these times never fall. */
function firstReaching({ batches }: Engine, partition: Partition, timeMs: number, earliest: number): number {
  let low = earliest
  let high = batches.end(partition)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const span = batches.spanAt(partition, middle)
    if (span === undefined || span.maxTimeSoFar < timeMs) low = Math.max(middle, span?.lastOffset ?? middle) + 1
    else high = Math.min(middle, span.baseOffset)
  }
  return Math.max(low, earliest)
}
