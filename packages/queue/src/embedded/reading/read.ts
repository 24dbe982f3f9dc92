import { setImmediate as nextTurn } from 'node:timers/promises'
import { DamagedBatchError, PositionLostError } from '../../errors.ts'
import type { PartitionOffset, ReadResult } from '../../queue.ts'
import type { RecordBatch } from '../../record-batch/record-batch.ts'
import type { StoredBatch } from '../../record-batch/stored-batch.ts'
import type { Engine } from '../engine.ts'
import type { Partition } from '../storage/topic-rows.ts'

/** @throws {PositionLostError} the position is in a deleted topic of the same name. */
export function partitionAt({ topics, inSnapshot }: Engine, at: PartitionOffset): Partition {
  const partition = topics.partition(at.topic, at.partition)
  if (at.topicId === undefined || at.topicId === topics.topic(at.topic).uid) return partition
  throw new PositionLostError(
    at,
    inSnapshot(() => topics.bounds(partition)),
  )
}

export function readNow(engine: Engine, partition: Partition, offset: bigint, maxBytes: number): ReadResult {
  return engine.inSnapshot(() => {
    const { earliest, end } = engine.topics.bounds(partition)
    const positionLost = (earliest: bigint) => new PositionLostError({ ...partition, offset }, { earliest, end })
    if (offset < earliest || offset > end) throw positionLost(earliest)
    const batches: StoredBatch[] = []
    let bytes = 0
    let next = offset
    try {
      for (const row of engine.batches.rowsFrom(partition, Number(offset))) {
        if (row.bytesId === 0) {
          if (batches.length === 0) throw positionLost(BigInt(row.lastOffset + 1))
          break
        }
        if (batches.length > 0 && bytes + row.size > maxBytes) break
        const batch = engine.batches.load(partition, row)
        next = batch.nextOffset
        // Compaction may have removed all of its records.
        if (batch.count === 0) continue
        bytes += row.size
        batches.push(batch.baseOffset < offset ? batch.from(offset) : batch)
        if (bytes >= maxBytes) break
      }
    } catch (error) {
      // The next read, from the damage on, throws.
      if (!(error instanceof DamagedBatchError) || batches.length === 0) throw error
    }
    return { batches, next, end }
  })
}

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
      const { batches, next, end } = readNow(engine, partition, offsets.get(partition)!, pageBytes)
      offsets.set(partition, next)
      if (next < end) behind.push(partition)
      for (const batch of batches) {
        yield batch
        if (signal.aborted || engine.closing.aborted) return
      }
    }
    if (behind.length === 0) grown = await engine.changes.wait(offsets, signal)
    // Reads block the thread, so a long history would starve timers and sockets.
    else grown = await nextTurn(behind)
  }
}

const pageBytes = 1024 * 1024

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
