import {
  createReaderPosition,
  mergePartitions,
  type ReaderPosition,
  type RecordOrder,
  type ResolvedPosition,
} from '@headrace/catalog'
import { type Place, passRecord, type RenderedRecord, type ServedTopic } from '../topics/served-topic.ts'
import type { CanonicalView } from './canonical-views.ts'
import type { History } from './history.ts'
import { readRange } from './range.ts'

export interface RecordRange {
  readonly topic: ServedTopic
  readonly from: readonly Place[]
  /** Exclusive. */
  readonly to: readonly Place[]
  readonly order: RecordOrder
  readonly canonical?: CanonicalView
  readonly asOf?: readonly Place[]
}

export interface PageRequest extends RecordRange {
  readonly limit: number
  /** The page ends early above it, with at least one record. */
  readonly maxBytes: number
}

export interface Page {
  readonly records: readonly RenderedRecord[]
  readonly nextCursor: string
  readonly hasMore: boolean
}

export async function readPage(history: History, request: PageRequest): Promise<Page> {
  const { topic, limit, maxBytes } = request
  const reader = readerOf(request)
  const records: RenderedRecord[] = []
  let bytes = 0
  for await (const list of readMerged(history, request))
    for (const record of list) {
      bytes += record.json.byteLength
      if (records.length === limit || (bytes > maxBytes && records.length > 0))
        return { records, nextCursor: reader.cursor(), hasMore: true }
      records.push(passRecord(reader, record))
    }
  return { records, nextCursor: topic.cursorAt(endOf(request, reader)), hasMore: false }
}

export async function* readRecords(history: History, range: RecordRange): AsyncGenerator<RenderedRecord[]> {
  const reader = readerOf(range)
  for await (const list of readMerged(history, range)) yield list.map((record) => passRecord(reader, record))
}

function readMerged(
  history: History,
  { topic, from, to, order, canonical }: RecordRange,
): AsyncGenerator<readonly RenderedRecord[], void, undefined> {
  const partitions = from.map((start, partition) =>
    readRange(history, { topic, partition, from: start.offset, to: to[partition]!.offset, order, canonical }),
  )
  return mergePartitions(partitions, order)
}

function readerOf(range: RecordRange): ReaderPosition {
  return createReaderPosition(range.topic, startOf(range), range.order)
}

/** Where a reader begins: with `desc`, at the end of the range. */
export function startOf({ from, to, order, asOf }: RecordRange): ResolvedPosition {
  return { partitions: order === 'asc' ? from : to, ...(asOf && { asOf }) }
}

function endOf({ from, to, order, canonical }: RecordRange, reader: ReaderPosition): ResolvedPosition {
  const [start, end] = order === 'asc' ? [from, to] : [to, from]
  const partitions = reader.places.map((place, partition): Place => {
    const last = end[partition]!
    if (from[partition]!.offset >= to[partition]!.offset) return place
    // The canonical view may have omitted records before the end.
    if (last.seq !== null || canonical) return last
    return place === start[partition] ? last : { offset: last.offset, seq: place.seq }
  })
  return { ...reader.entry(), partitions }
}
