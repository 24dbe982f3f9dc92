import type { Place, RenderedRecord, ServedTopic } from '../topics/served-topic.ts'
import type { History } from './history.ts'
import { readRange } from './range.ts'

export interface PageRequest {
  readonly topic: ServedTopic
  /** Begin of the range. */
  readonly from: Place
  /** End of the range: the offset after it. */
  readonly to: Place
  readonly order: 'asc' | 'desc'
  readonly limit: number
  /** Bytes of records after which the page ends early; one record is always on it. */
  readonly maxBytes: number
}

export interface Page {
  /** In the order asked for. */
  readonly records: readonly RenderedRecord[]
  /** Where the next page goes on: the boundary after the last record on this one, seen in the order asked for. */
  readonly next: Place
  readonly hasMore: boolean
}

/** Reads one page of a range. */
export async function readPage(history: History, request: PageRequest): Promise<Page> {
  const { order, limit, maxBytes } = request
  const records: RenderedRecord[] = []
  let bytes = 0
  for await (const run of readRange(history, request))
    for (const record of order === 'asc' ? run.records : run.records.toReversed()) {
      bytes += record.json.byteLength
      if (records.length === limit || (bytes > maxBytes && records.length > 0))
        return { records, next: boundary(records.at(-1)!, order), hasMore: true }
      records.push(record)
    }
  return { records, next: endOf(request, records.at(-1)), hasMore: false }
}

function endOf({ from, to, order }: PageRequest, last: RenderedRecord | undefined): Place {
  const end = order === 'asc' ? to : from
  if (from.offset >= to.offset) return order === 'asc' ? from : to
  return { offset: end.offset, seq: last ? boundary(last, order).seq : end.seq }
}

/** The boundary behind a record for one who reads in this order. */
function boundary({ offset, seq }: RenderedRecord, order: 'asc' | 'desc'): Place {
  if (order === 'desc') return { offset, seq }
  return { offset: offset + 1n, seq: seq === null ? null : seq + 1 }
}
