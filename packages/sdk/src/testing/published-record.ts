import { readRecordHeaders, withCursor } from '@headrace/catalog'
import { type Queue, type QueueRecord, readRange } from '@headrace/queue'

export interface PublishedRecord {
  readonly partition: number
  readonly offset: bigint
  readonly unit: number | null
  readonly seq: number | null
  readonly op: 'append' | 'revert'
  readonly reverts?: number
  readonly time: Date
  readonly key: string | null
  /** As in the JSON that readers get: 64-bit integers are strings. `null` where the message could not be produced. */
  readonly value: unknown
  readonly error?: string
}

export function publishedRecord(record: QueueRecord, render: (record: QueueRecord) => Uint8Array): PublishedRecord {
  const { unit = null, seq = null, op, reverts, error } = readRecordHeaders(record.headers)
  const json = JSON.parse(Buffer.from(withCursor(render(record), '')).toString()) as {
    key: string | null
    value: unknown
  }
  return {
    partition: record.partition,
    offset: record.offset,
    unit,
    seq,
    op,
    time: new Date(record.time),
    key: json.key,
    value: json.value,
    ...(reverts !== undefined && { reverts }),
    ...(error !== undefined && { error }),
  }
}

/** A missing topic has none. */
export async function* readTopic(queue: Queue, topic: string): AsyncGenerator<QueueRecord, void, undefined> {
  const [description] = await queue.describe([topic])
  for (const [partition, { earliest: from }] of (description?.partitions ?? []).entries()) {
    const to = await queue.highWatermark(topic, partition)
    for await (const batch of readRange(queue, { topic, partition, from, to })) yield* batch.records()
  }
}
