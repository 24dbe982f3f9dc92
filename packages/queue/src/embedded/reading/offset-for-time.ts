import type { Engine } from '../engine.ts'
import type { Partition } from '../storage/topic-rows.ts'

/** If a lost record may be the first at or after `timeMs`: the offset where the loss begins, where a read throws. */
export function findOffsetForTime(engine: Engine, partition: Partition, timeMs: number): bigint | undefined {
  const { inSnapshot, topics, batches } = engine
  return inSnapshot(() => {
    const earliest = topics.earliest(partition)
    const first = firstReaching(engine, partition, timeMs, earliest)
    for (const row of batches.rowsFrom(partition, first)) {
      if (row.bytesId === 0) return BigInt(Math.max(row.baseOffset, earliest))
      const batch = batches.load(partition, row)
      // `maxTime` of the row may be that of a record that compaction has removed.
      if (batch.maxTime < timeMs) continue
      for (const record of batch.from(BigInt(earliest)).records()) if (record.time >= timeMs) return record.offset
    }
    return undefined
  })
}

/** `maxTime` never decreases. */
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
