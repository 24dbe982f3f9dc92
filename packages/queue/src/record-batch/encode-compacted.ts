import { writeBatchHeader } from './batch-header.ts'
import { sizeAtPosition, sizeOfContent, writeRecord } from './encode-record.ts'
import { batchLayout } from './layout.ts'
import type { QueueRecord } from './record-batch.ts'
import { varintSize } from './varint.ts'

/** Each of the records that compaction keeps has its own offset. */
export function encodeCompacted(
  records: readonly QueueRecord[],
  { baseOffset, lastOffset }: { readonly baseOffset: bigint; readonly lastOffset: bigint },
): Uint8Array {
  const baseTime = records[0]?.time ?? 0
  const places = records.map((record) => {
    const timeDelta = record.time - baseTime
    const offsetDelta = Number(record.offset - baseOffset)
    return { record, timeDelta, offsetDelta, size: sizeAtPosition(sizeOfContent(record), timeDelta, offsetDelta) }
  })
  const length = places.reduce((sum, { size }) => sum + varintSize(size) + size, batchLayout.records as number)
  const batch = new Uint8Array(length)
  let at: number = batchLayout.records
  for (const { record, size, timeDelta, offsetDelta } of places) {
    at = writeRecord(batch, at, record, size, timeDelta, offsetDelta)
  }
  writeBatchHeader(
    batch,
    { baseOffset },
    {
      count: records.length,
      lastOffsetDelta: Number(lastOffset - baseOffset),
      baseTime,
      maxTime: records.reduce((max, { time }) => Math.max(max, time), -1),
    },
  )
  return batch
}
