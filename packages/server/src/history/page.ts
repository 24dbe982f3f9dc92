import {
  createReaderPosition,
  mergePartitions,
  type ReaderPosition,
  type RecordOrder,
  type ResolvedPosition,
} from '@headrace/catalog'
import { type Place, passRecord, type RenderedRecord, type ServedTopic } from '../topics/served-topic.ts'
import { createCanonicalCut } from './canonical-cut.ts'
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
  readonly next: ResolvedPosition
  readonly hasMore: boolean
}

export async function readPage(history: History, request: PageRequest): Promise<Page> {
  const { limit, maxBytes } = request
  const reader = readerOf(request)
  const records: RenderedRecord[] = []
  let bytes = 0
  for await (const list of readMerged(history, request))
    for (const record of list) {
      bytes += record.json.byteLength
      if (records.length === limit || (bytes > maxBytes && records.length > 0))
        return { records, next: positionOf(reader), hasMore: true }
      records.push(passRecord(reader, record))
    }
  return { records, next: endOf(request, reader), hasMore: false }
}

export async function* readRecords(history: History, range: RecordRange): AsyncGenerator<RenderedRecord[]> {
  const reader = readerOf(range)
  for await (const list of readMerged(history, range)) yield list.map((record) => passRecord(reader, record))
}

function readMerged(history: History, range: RecordRange): AsyncGenerator<readonly RenderedRecord[], void, undefined> {
  const { topic, from, to, order, canonical } = range
  const partitions = from.map((start, partition) => {
    const range = { topic, partition, from: start.offset, to: to[partition]!.offset, order }
    const end = order === 'asc' ? range.to : range.from
    const cut = canonical && createCanonicalCut(canonical, { partition, order, end })
    return readRange(history, { ...range, cut })
  })
  return mergePartitions(partitions, order)
}

function readerOf({ topic, from, to, order, asOf }: RecordRange): ReaderPosition {
  return createReaderPosition(topic, { partitions: order === 'asc' ? from : to, ...(asOf && { asOf }) }, order)
}

function positionOf({ places, asOf }: ReaderPosition): ResolvedPosition {
  return asOf ? { partitions: places, asOf } : { partitions: places }
}

function endOf({ from, to, order, canonical }: RecordRange, reader: ReaderPosition): ResolvedPosition {
  const partitions = reader.places.map((place, partition): Place => {
    const end = order === 'asc' ? to[partition]! : from[partition]!
    if (from[partition]!.offset >= to[partition]!.offset) return place
    // The canonical view may have omitted records before the end.
    if (end.seq !== null || canonical) return end
    const start = order === 'asc' ? from[partition] : to[partition]
    return place === start ? end : { offset: end.offset, seq: place.seq }
  })
  return reader.asOf ? { partitions, asOf: reader.asOf } : { partitions }
}
