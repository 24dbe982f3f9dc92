import { DamagedBatchError, PositionLostError } from '../../errors.ts'
import type { PartitionOffset, ReadResult } from '../../queue.ts'
import type { StoredBatch } from '../../record-batch/stored-batch.ts'
import type { Engine } from '../engine.ts'
import type { BatchRow } from '../storage/batch-rows.ts'
import type { Partition } from '../storage/topics.ts'

/**
 * The partition that a place is in.
 *
 * @throws {UnknownTopicError}
 * @throws {PositionLostError} the place is in another topic of the same name.
 */
export function partitionAt({ topics, batches, atOneMoment }: Engine, at: PartitionOffset): Partition {
  const partition = topics.partition(at.topic, at.partition)
  if (at.topicId === undefined || at.topicId === topics.topic(at.topic).uid) return partition
  const [earliest, end] = atOneMoment(() => [topics.earliest(partition), batches.end(partition)])
  throw new PositionLostError(at, { earliest: BigInt(earliest), end: BigInt(end) })
}

/**
 * Reads what is there now, without waiting.
 *
 * @throws {PositionLostError}
 * @throws {DamagedBatchError}
 */
export function readNow(engine: Engine, partition: Partition, offset: bigint, maxBytes: number): ReadResult {
  return engine.atOneMoment(() => {
    const earliest = BigInt(engine.topics.earliest(partition))
    const end = BigInt(engine.batches.end(partition))
    const lost = (earliest: bigint) =>
      new PositionLostError({ topic: partition.topic, partition: partition.number, offset }, { earliest, end })
    if (offset < earliest || offset > end) throw lost(earliest)
    const page = new Page(offset)
    try {
      for (const row of engine.batches.rowsFrom(partition, Number(offset))) {
        if (row.bytesId === 0) {
          if (page.batches.length === 0) throw lost(BigInt(row.lastOffset + 1))
          break
        }
        if (page.batches.length > 0 && page.bytes + row.size > maxBytes) break
        page.add(engine.batches.load(partition, row), row)
      }
    } catch (error) {
      // What is before the damage is good. A reader that continues from there gets the error.
      if (!(error instanceof DamagedBatchError) || page.batches.length === 0) throw error
    }
    return { batches: page.batches, next: page.next, end }
  })
}

class Page {
  readonly batches: StoredBatch[] = []
  bytes = 0
  next: bigint
  readonly #offset: bigint

  constructor(offset: bigint) {
    this.next = offset
    this.#offset = offset
  }

  add(batch: StoredBatch, row: BatchRow): void {
    this.next = batch.nextOffset
    // Compaction may have left nothing in it.
    if (batch.count === 0) return
    this.bytes += row.size
    this.batches.push(batch.baseOffset < this.#offset ? batch.from(this.#offset) : batch)
  }
}
