import { setImmediate as nextTurn } from 'node:timers/promises'
import { DamagedBatchError, PositionLostError } from '../../errors.ts'
import type { PartitionOffset, ReadResult } from '../../queue.ts'
import type { RecordBatch } from '../../record-batch/record-batch.ts'
import type { StoredBatch } from '../../record-batch/stored-batch.ts'
import type { Engine } from '../engine.ts'
import type { Partition } from '../storage/topic-rows.ts'

/** @throws {PositionLostError} the position is in a deleted topic of the same name. */
export function partitionAt({ topics, batches, inSnapshot }: Engine, at: PartitionOffset): Partition {
  const partition = topics.partition(at.topic, at.partition)
  if (at.topicId === undefined || at.topicId === topics.topic(at.topic).uid) return partition
  const [earliest, end] = inSnapshot(() => [topics.earliest(partition), batches.end(partition)])
  throw new PositionLostError(at, { earliest: BigInt(earliest), end: BigInt(end) })
}

export function readNow(engine: Engine, partition: Partition, offset: bigint, maxBytes: number): ReadResult {
  return engine.inSnapshot(() => {
    const earliest = BigInt(engine.topics.earliest(partition))
    const end = BigInt(engine.batches.end(partition))
    const positionLost = (earliest: bigint) =>
      new PositionLostError({ topic: partition.topic, partition: partition.number, offset }, { earliest, end })
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
    if (behind.length === 0) grown = await engine.changes.wait(offsets, { signal })
    // Reads block the thread, so a long history would starve timers and sockets.
    else grown = await nextTurn(behind)
  }
}

const pageBytes = 1024 * 1024
