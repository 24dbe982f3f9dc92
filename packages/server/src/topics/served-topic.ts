import {
  createRecordRenderer,
  encodeCursor,
  readRecordHeaders,
  type TopicRegistration,
  withCursor,
} from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'

/** A boundary between records of a topic: what lies at `offset` comes next, and has this seq where it is known. */
export interface Place {
  readonly offset: bigint
  readonly seq: number | null
}

/** A record as it goes out, whatever the protocol. */
export interface RenderedRecord {
  readonly offset: bigint
  readonly seq: number | null
  /** The boundary after it. */
  readonly cursor: string
  /** The record's JSON, its cursor included. Shared: not to be written to. */
  readonly json: Uint8Array
}

/** A topic that can be read: its schema, and its identity in the queue. */
export interface ServedTopic {
  readonly name: string
  /** Changes when the topic is created again. */
  readonly id: string
  readonly registration: TopicRegistration
  render(record: QueueRecord): RenderedRecord
  cursorAt(place: Place): string
}

export function createServedTopic(registration: TopicRegistration, id: string): ServedTopic {
  const name = registration.topic
  const renderer = createRecordRenderer(registration)
  const cursorAt = (place: Place) => encodeCursor({ topics: [{ id, topic: name, partitions: [place] }] })
  return {
    name,
    id,
    registration,
    cursorAt,
    render(record) {
      const seq = readRecordHeaders(record.headers).seq ?? null
      const cursor = cursorAt({ offset: record.offset + 1n, seq: seq === null ? null : seq + 1 })
      return { offset: record.offset, seq, cursor, json: withCursor(renderer.render(record), cursor) }
    },
  }
}
