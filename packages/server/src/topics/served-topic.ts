import {
  encodeCursor,
  isAdopted,
  type OrderedRecord,
  type PartitionPlace,
  type ReaderPosition,
  type RecordFilter,
  type RecordPlace,
  type ResolvedPosition,
  type TopicContent,
  type TopicFormat,
  withCursor,
} from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'

/** A place between two records of a partition: the offset of the next record, and its seq if it is known. */
export type Place = PartitionPlace

export interface RenderedRecord extends RecordPlace, OrderedRecord {
  /** Of the cursor in `json`. 0: it is not the same for all readers, and `passRecord` adds it. */
  readonly cursorLength: number
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
  readonly content: TopicContent
  readonly format: TopicFormat
  /** The id of the connector instance that writes the topic. `undefined`: other programs write it. */
  readonly writerId: string | undefined
  /** As `format.prepare`. */
  readonly prepare?: TopicFormat['prepare'] | undefined
  /** After `prepare`. */
  render(record: QueueRecord): RenderedRecord
  cursorAt(position: ResolvedPosition): string
}

export type ServedTopicOptions = Pick<ServedTopic, 'content' | 'format' | 'id' | 'partitions'>

export function createServedTopic({ content, format, id, partitions }: ServedTopicOptions): ServedTopic {
  const name = content.topic
  const renderer = format.createRenderer(partitions === 1 ? { cursorsOf: id } : {})
  const cursorAt = (position: ResolvedPosition) => encodeCursor({ topics: [{ id, topic: name, ...position }] })
  return {
    name,
    id,
    partitions,
    content,
    format,
    writerId: isAdopted(content) ? undefined : `${content.lineage}/${content.instance}`,
    cursorAt,
    prepare: format.prepare,
    render(record) {
      const { partition, offset, time } = record
      const { json, seq, cursorLength } = renderer.renderWhole(record)
      return { partition, offset, seq, time, cursorLength, json }
    },
  }
}

function withReaderCursor(record: RenderedRecord, cursor: string): RenderedRecord {
  return { ...record, cursorLength: cursor.length, json: withCursor(withoutCursor(record), cursor) }
}

export function withoutCursor({ json, cursorLength }: RenderedRecord): Uint8Array {
  return json.subarray(0, json.length - cursorLength - cursorMember.length)
}

export function cursorOf({ json, cursorLength }: RenderedRecord): string {
  const end = json.byteLength - cursorEnd.length
  return Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('latin1', end - cursorLength, end)
}

const cursorEnd = '"}'

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
