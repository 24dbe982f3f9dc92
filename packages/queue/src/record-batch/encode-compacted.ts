import { BatchEncoder } from './encode.ts'
import type { QueueRecord } from './record-batch.ts'

/** Each of the records that compaction keeps has its own offset. */
export function encodeCompacted(
  records: readonly QueueRecord[],
  { baseOffset, lastOffset }: { readonly baseOffset: bigint; readonly lastOffset: bigint },
): Uint8Array {
  const encoder = new BatchEncoder()
  for (const record of records) encoder.append(record, Number(record.offset - baseOffset))
  return encoder.finish({ baseOffset, lastOffsetDelta: Number(lastOffset - baseOffset) })
}
