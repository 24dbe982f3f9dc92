import { createRecordRenderer, readRecordHeaders, type TopicRegistration, withCursor } from '@headrace/catalog'
import type { Queue, QueueRecord } from '@headrace/queue'
import { readTopic } from './read-topic.ts'

/** A record as a reader of its topic sees it. */
export interface PublishedRecord {
  readonly partition: number
  readonly offset: bigint
  /** Number of its unit, and of the record in its partition. */
  readonly unit: number | null
  readonly seq: number | null
  readonly op: 'append' | 'revert'
  /** On a revert: the seq of the record that it takes back. */
  readonly reverts?: number
  readonly time: Date
  readonly key: string | null
  /** As in the JSON that readers get: 64-bit integers are strings. `null` where only the place was kept. */
  readonly value: unknown
  /** Why only the place was kept. */
  readonly error?: string
}

/** Reads every record of a topic, partition by partition. */
export async function readPublished(queue: Queue, registration: TopicRegistration): Promise<PublishedRecord[]> {
  const { render } = createRecordRenderer(registration)
  const records: PublishedRecord[] = []
  for await (const record of readTopic(queue, registration.topic)) records.push(publishedRecord(record, render))
  return records
}

/** Shows a record as `render` has it. */
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
