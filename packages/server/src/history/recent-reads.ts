import type { PartitionOffset, Queue, ReadResult, RecordBatch } from '@headrace/queue'
import { LRUCache } from 'lru-cache'

/**
 * A queue that keeps what was read lately. Readers take it in pieces, often smaller than a batch, and each cursor is
 * compared with the record after it: without this, each of them would fetch and decode the same batches. A read that
 * continues another one gets more at once.
 */
export interface RecentReads extends Queue {
  /** The log of the topic was truncated. */
  forget(topic: string): void
}

interface RecentRead extends ReadResult, PartitionOffset {
  readonly readAt: number
  readonly byteLength: number
}

/** Of `historyBytes`, in addition. */
export const readsShare = 0.25
/** Bytes of a read that continues another one. */
const furtherBytes = 1 << 20
/** More than these would take longer to search than to read. */
const mostReads = 64
/** Retention or an unclean leader election may have removed what was read before. */
const keptMs = 10_000

/** @param clock - Monotonic, in ms. */
export function createRecentReads(
  queue: Queue,
  maxBytes: number,
  clock: () => number = () => performance.now(),
): RecentReads {
  const sizeOf = ({ byteLength }: RecentRead) => byteLength
  const reads = new LRUCache<number, RecentRead>({
    max: mostReads,
    maxSize: Math.ceil(maxBytes),
    sizeCalculation: sizeOf,
  })
  let lastId = 0
  return {
    ...queue,
    async read(at, limits) {
      // After its last batch, a read would answer without records although there may be more.
      const known = find(
        at,
        ({ offset, batches }) => offset <= at.offset && at.offset < (batches.at(-1)?.nextOffset ?? 0n),
      )
      const part = known && partOf(known, at.offset)
      if (part) return part
      const isFurther = find(at, ({ next }) => next === at.offset) !== undefined
      const maxBytes = isFurther ? Math.max(limits.maxBytes, furtherBytes) : limits.maxBytes
      const found = await queue.read(at, { ...limits, maxBytes })
      const byteLength = found.batches.reduce((sum, batch) => sum + batch.byteLength, 1)
      if (found.next > at.offset) reads.set(++lastId, { ...at, ...found, readAt: clock(), byteLength })
      return found
    },
    forget(topic) {
      for (const [id, read] of reads.entries()) if (read.topic === topic) reads.delete(id)
    },
  }

  function find(at: PartitionOffset, matches: (read: RecentRead) => boolean): RecentRead | undefined {
    const oldest = clock() - keptMs
    for (const [id, read] of reads.entries()) {
      const isOfSame = read.partition === at.partition && read.topic === at.topic && read.topicId === at.topicId
      if (isOfSame && read.readAt > oldest && matches(read)) return reads.get(id)
    }
    return undefined
  }
}

/** `undefined` if the first batch has no record from the offset on, because compaction has removed them. */
function partOf({ batches, next, end }: ReadResult, offset: bigint): ReadResult | undefined {
  const [first, ...others] = batches.slice(batches.findIndex(({ nextOffset }) => nextOffset > offset))
  if (first!.records(offset).next().done) return undefined
  return { batches: [startingAt(first!, offset), ...others], next, end }
}

function startingAt(batch: RecordBatch, offset: bigint): RecordBatch {
  if (offset <= batch.baseOffset) return batch
  const { topic, partition, nextOffset, maxTime, byteLength } = batch
  return {
    ...{ topic, partition, baseOffset: offset, nextOffset, maxTime, byteLength },
    records: (from = offset) => batch.records(from > offset ? from : offset),
  }
}
