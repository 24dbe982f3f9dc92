import {
  createReaderPosition,
  createSkips,
  mergePartitions,
  nextSeqsOf,
  type ReaderPosition,
  type RecordOrder,
  type ResolvedPosition,
} from '@headrace/catalog'
import { isSelected, showSelected } from '../selection/selected-record.ts'
import type { Selection } from '../selection/selection.ts'
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
  /** Absent: all of every record. */
  readonly selection?: Selection | undefined
}

export interface PageRequest extends RecordRange {
  readonly limit: number
  /** The page ends early above it, with at least one record. */
  readonly maxBytes: number
  /** With a selection, the page ends after reading this many records. */
  readonly maxExamined: number
  /** Moves the reader past a record, instead of adding a cursor to its JSON. Not with a selection. */
  pass?(reader: ReaderPosition, record: RenderedRecord): RenderedRecord
}

export interface Page {
  readonly records: readonly RenderedRecord[]
  readonly nextCursor: string
  /** With a selection, as `nextSeqsOf` the place of the cursor. */
  readonly nextSeqs?: readonly (string | null)[]
  readonly hasMore: boolean
}

export async function readPage(history: History, request: PageRequest): Promise<Page> {
  const { topic, limit, maxBytes, maxExamined, order, selection } = request
  const reader = readerOf(request)
  const pass = request.pass ? (record: RenderedRecord) => request.pass!(reader, record) : createPass(request, reader)
  const records: RenderedRecord[] = []
  let bytes = 0
  let examined = 0
  for await (const list of readMerged(history, request))
    for (const record of list) {
      bytes += record.json.byteLength
      const isFull = records.length === limit || (bytes > maxBytes && records.length > 0)
      if (isFull || (selection && examined++ === maxExamined))
        return { records, nextCursor: reader.cursor(), hasMore: true, ...seqsAt(reader.places) }
      const passed = pass(record)
      if (passed) records.push(passed)
    }
  const end = endOf(request, reader)
  return { records, nextCursor: topic.cursorAt(end), hasMore: false, ...seqsAt(end.partitions) }

  function seqsAt(places: readonly Place[]): Pick<Page, 'nextSeqs'> {
    return selection ? { nextSeqs: nextSeqsOf(places, order) } : {}
  }
}

/** Lists may be empty. */
export async function* readRecords(history: History, range: RecordRange): AsyncGenerator<RenderedRecord[]> {
  const pass = createPass(range, readerOf(range))
  for await (const list of readMerged(history, range)) yield list.map(pass).filter((record) => record !== undefined)
}

/** The record as the reader gets it; `undefined` if it is left out. */
type Pass = (record: RenderedRecord) => RenderedRecord | undefined

function createPass(range: RecordRange, reader: ReaderPosition): Pass {
  const { selection, order, canonical } = range
  if (!selection) return (record) => passRecord(reader, record)
  const skips = createSkips({ start: startOf(range).partitions, order, counts: !canonical })
  return (record) => {
    if (!isSelected(selection, record)) {
      skips.leaveOut(record)
      reader.pass(record)
      return undefined
    }
    const shown = showSelected(selection, record, { cursor: reader.cursorAfter(record), skipped: skips.take(record) })
    reader.pass(record)
    return shown
  }
}

function readMerged(
  history: History,
  { topic, from, to, order, canonical, selection }: RecordRange,
): AsyncGenerator<readonly RenderedRecord[], void, undefined> {
  const reader = selection ? history.select(selection) : history
  const partitions = from.map((start, partition) =>
    readRange(reader, { topic, partition, from: start.offset, to: to[partition]!.offset, order, canonical }),
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
