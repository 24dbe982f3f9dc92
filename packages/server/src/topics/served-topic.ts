import {
  createRecordRenderer,
  encodeCursor,
  type OrderedRecord,
  type PartitionPlace,
  placeAfter,
  type ReaderPosition,
  type RecordFilter,
  type RecordPlace,
  type ResolvedPosition,
  readRecordHeaders,
  type TopicRegistration,
  withCursor,
} from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'

/** A place between two records of a partition: the offset of the next record, and its seq if it is known. */
export type Place = PartitionPlace

export interface RenderedRecord extends RecordPlace, OrderedRecord {
  /** The cursor after this record, if it is the same for all readers. Else empty, and `passRecord` sets it. */
  readonly cursor: string
  /**
   * The record with its cursor. Readers share these bytes: do not modify them. Empty if it was read for a selection that
   * leaves it out.
   */
  readonly json: Uint8Array
  /** The filters of the feed's readers that match. Absent: it was read for one selection, or for all readers. */
  readonly matches?: ReadonlySet<RecordFilter> | undefined
  /** For selections of fields. */
  readonly raw?: QueueRecord | undefined
}

export interface ServedTopic {
  readonly name: string
  /** A topic that is created again has another id. */
  readonly id: string
  readonly partitions: number
  readonly registration: TopicRegistration
  /** The id of the connector instance that writes the topic. */
  readonly writerId: string
  render(record: QueueRecord): RenderedRecord
  cursorAt(position: ResolvedPosition): string
}

export type ServedTopicOptions = Pick<ServedTopic, 'registration' | 'id' | 'partitions'>

export function createServedTopic({ registration, id, partitions }: ServedTopicOptions): ServedTopic {
  const name = registration.topic
  const renderer = createRecordRenderer(registration)
  const cursorAt = (position: ResolvedPosition) => encodeCursor({ topics: [{ id, topic: name, ...position }] })
  return {
    name,
    id,
    partitions,
    registration,
    writerId: `${registration.lineage}/${registration.instance}`,
    cursorAt,
    render(record) {
      const { partition, offset, time } = record
      const seq = readRecordHeaders(record.headers).seq ?? null
      const cursor = partitions === 1 ? cursorAt({ partitions: [placeAfter(offset, seq)] }) : ''
      return { partition, offset, seq, time, cursor, json: withCursor(renderer.render(record), cursor) }
    },
  }
}

function withReaderCursor(record: RenderedRecord, cursor: string): RenderedRecord {
  return { ...record, cursor, json: withCursor(withoutCursor(record), cursor) }
}

export function withoutCursor({ json, cursor }: RenderedRecord): Uint8Array {
  return json.subarray(0, json.length - cursor.length - cursorMember.length)
}

const cursorMember = ',"cursor":""}'

export function passRecord(reader: ReaderPosition, record: RenderedRecord): RenderedRecord {
  const passed = isShared(reader) ? record : withReaderCursor(record, reader.cursorAfter(record))
  reader.pass(record)
  return passed
}

/** Whether the cursors in rendered records are valid for a reader. */
export function isShared({ places, asOf }: ReaderPosition): boolean {
  return places.length === 1 && asOf === undefined
}
