import type { TopicPartition } from '../../queue.ts'
import { readRange } from '../../reading/read-range.ts'
import type { RecordBatch } from '../../record-batch/record-batch.ts'
import { boundsOf } from '../admin/list-offsets.ts'
import type { Cluster } from '../connection/cluster.ts'
import { rangeReader, retryIfTruncated } from './range-reader.ts'

/** A binary search. The broker's own (ListOffsets by time) finds transaction markers, whose time is the wall clock. */
export function offsetForTime(cluster: Cluster, place: TopicPartition, timeMs: number): Promise<bigint | undefined> {
  return retryIfTruncated(async () => {
    let { earliest: low, end: high } = await boundsOf(cluster, place)
    let found: bigint | undefined
    while (low < high) {
      const middle = low + (high - low) / 2n
      const range = { ...place, from: middle, to: high }
      const batch = await firstOf(readRange(rangeReader(cluster), range, { maxBytes: oneBatch }))
      const reaching = batch && firstReaching(batch, timeMs)
      if (batch && !reaching) {
        low = batch.nextOffset
      } else {
        // No record before the batch reaches the time.
        if (reaching?.index) return reaching.offset
        found = reaching?.offset ?? found
        high = middle
      }
    }
    return found
  })
}

function firstReaching(batch: RecordBatch, timeMs: number): { index: number; offset: bigint } | undefined {
  if (batch.maxTime < timeMs) return undefined
  let index = 0
  for (const { time, offset } of batch.records()) {
    if (time >= timeMs) return { index, offset }
    index++
  }
  return undefined
}

async function firstOf(batches: AsyncIterable<RecordBatch>): Promise<RecordBatch | undefined> {
  for await (const batch of batches) return batch
  return undefined
}

/** In bytes: the broker sends at least one batch. */
const oneBatch = 1
