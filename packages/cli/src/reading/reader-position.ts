import { encodeCursor, type RecordOrder, type ResolvedPosition, readRecordHeaders } from '@headrace/catalog'
import type { QueueRecord, TopicDescription } from '@headrace/queue'

/** Where a reader stands in all partitions of a topic, moved on by each record that it is given. */
export interface ReaderPosition {
  /** Moves past a record and returns the cursor of the boundary after it. */
  pass(record: QueueRecord): string
}

export function createReaderPosition(
  { id, name: topic }: TopicDescription,
  start: ResolvedPosition,
  order: RecordOrder = 'asc',
): ReaderPosition {
  const partitions = [...start.partitions]
  const entry = { id, topic, partitions, ...(start.asOf && { asOf: start.asOf }) }
  return {
    pass({ partition, offset, headers }) {
      const { seq } = readRecordHeaders(headers)
      partitions[partition] = { offset: offset + 1n, seq: seq === undefined ? null : seq + 1 }
      const cursor = encodeCursor({ topics: [entry] })
      if (order === 'desc') partitions[partition] = { offset, seq: seq ?? null }
      return cursor
    },
  }
}
