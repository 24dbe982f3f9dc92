import {
  createRecordRenderer,
  encodeCursor,
  type PartitionPlace,
  placeAfter,
  type ReaderPosition,
  type ResolvedPosition,
  readRecordHeaders,
  type TopicRegistration,
  withCursor,
} from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'

/** A boundary between records of a partition: what lies at `offset` comes next, and has this seq where it is known. */
export type Place = PartitionPlace

/** A record as it goes out, whatever the protocol. */
export interface RenderedRecord {
  readonly partition: number
  readonly offset: bigint
  readonly seq: number | null
  /** Ms since the Unix epoch. */
  readonly time: number
  /**
   * The boundary after it for a reader of the log of a topic with one partition. Where it depends on the reader it is
   * empty: `addressed` gives it.
   */
  readonly cursor: string
  /** The record's JSON, its cursor included. Shared: not to be written to. */
  readonly json: Uint8Array
}

/** A topic that can be read: its schema, and its identity in the queue. */
export interface ServedTopic {
  readonly name: string
  /** Changes when the topic is created again. */
  readonly id: string
  readonly partitions: number
  readonly registration: TopicRegistration
  render(record: QueueRecord): RenderedRecord
  /** The cursor of a place in each partition. */
  cursorAt(position: ResolvedPosition): string
}

export interface ServedTopicOptions {
  readonly registration: TopicRegistration
  readonly id: string
  readonly partitions: number
}

export function createServedTopic({ registration, id, partitions }: ServedTopicOptions): ServedTopic {
  const name = registration.topic
  const renderer = createRecordRenderer(registration)
  const cursorAt = (position: ResolvedPosition) => encodeCursor({ topics: [{ id, topic: name, ...position }] })
  return {
    name,
    id,
    partitions,
    registration,
    cursorAt,
    render(record) {
      const { partition, offset, time } = record
      const seq = readRecordHeaders(record.headers).seq ?? null
      const cursor = partitions === 1 ? cursorAt({ partitions: [placeAfter(offset, seq)] }) : ''
      return { partition, offset, seq, time, cursor, json: withCursor(renderer.render(record), cursor) }
    },
  }
}

/** A record with the cursor that it has for one reader. What was rendered is copied, not rendered again. */
export function addressed(record: RenderedRecord, cursor: string): RenderedRecord {
  const { json, cursor: before, ...rest } = record
  return {
    ...rest,
    cursor,
    json: withCursor(json.subarray(0, json.length - before.length - cursorMember.length), cursor),
  }
}

const cursorMember = ',"cursor":""}'

/** Moves a reader past a record, and gives the record with the cursor that it has for this reader. */
export function passRecord(reader: ReaderPosition, record: RenderedRecord): RenderedRecord {
  const passed = isShared(reader) ? record : addressed(record, reader.cursorAfter(record))
  reader.pass(record)
  return passed
}

/** Whether records have the cursor for a reader that they were rendered with. */
export function isShared({ places, asOf }: ReaderPosition): boolean {
  return places.length === 1 && asOf === undefined
}
