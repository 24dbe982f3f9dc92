import type { DataRecord, Page } from './batch.ts'
import { InvalidOptionError, RecordsMissingError, RefusedError } from './errors.ts'
import type { HistoryOptions } from './options.ts'
import { isMoving, type Position } from './position.ts'
import { createRetry } from './retry.ts'
import { createSequence } from './sequence.ts'
import { requestJson } from './service/request-json.ts'
import type { ClientContext } from './service/service.ts'

type Pages = AsyncGenerator<Page<unknown>, void, void>

export function readHistory(context: ClientContext, options: HistoryOptions<string>): Pages {
  const { pageSize = 1000 } = options
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 1000)
    throw new InvalidOptionError(`pageSize is ${pageSize}. It must be a whole number from 1 to 1000.`)
  return readPages(context, { ...options, pageSize })
}

interface FetchedPage {
  readonly topic: string
  readonly data: readonly DataRecord<unknown>[]
  readonly nextCursor: string
  readonly nextSeqs?: readonly (string | null)[]
  /** In the first page only. */
  readonly headCursor?: string
  readonly hasMore: boolean
}

/** Ms. */
const pageMs = 60_000

async function* readPages({ service, ...settings }: ClientContext, options: HistoryOptions<string>): Pages {
  const { topic, order = 'asc', view = 'canonical', pageSize, filter, fields } = options
  const range = { from: options.from, to: options.to === 'latest' ? undefined : options.to }
  // For the page that is fetched ahead when the iterator ends.
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  const retry = createRetry({ ...settings, signal })
  const sequence = createSequence({ order, view })
  // The end that cursors do not replace. It is fixed at the first page.
  const fixedBound = order === 'asc' ? 'to' : 'from'

  try {
    let end = await fixBound(fixedBound)
    // A reader that continues live needs the head of the first page.
    let head: string | undefined
    let nextPage: Promise<FetchedPage> | undefined = fetch({ ...range, [fixedBound]: end })
    while (nextPage) {
      const page: FetchedPage = await nextPage
      signal.throwIfAborted()
      head ??= page.headCursor
      if (head === undefined) throw notAPage()
      if (order === 'asc') end ??= head
      nextPage = page.hasMore ? fetch({ [fixedBound]: end, cursor: page.nextCursor }) : undefined
      // Awaited after this page. Until then, its error must not be unhandled.
      nextPage?.catch(() => {})
      yield { topic, records: checked(page), cursor: page.nextCursor, headCursor: head }
    }
  } finally {
    stop.abort()
  }

  /** A position that may move becomes the `nextCursor` of an empty page there. */
  async function fixBound(name: 'from' | 'to'): Promise<Position | undefined> {
    const position = range[name]
    if (!position || !isMoving(position)) return position
    const empty =
      name === 'from'
        ? { order: 'asc', from: position, to: 'earliest' }
        : { order: 'desc', from: 'latest', to: position }
    return (await fetch({ ...empty, view: 'log', limit: '1' })).nextCursor
  }

  function checked({ data, nextSeqs = [] }: FetchedPage): FetchedPage['data'] {
    const records = data.filter((record) => {
      const found = sequence.take(record)
      if (found instanceof RecordsMissingError) throw found
      return found === 'next'
    })
    sequence.cover(nextSeqs)
    sequence.begin(nextSeqs)
    return records
  }

  async function fetch(query: Readonly<Record<string, string | undefined>>): Promise<FetchedPage> {
    const path = `/api/v1/data/${encodeURIComponent(topic)}`
    const parameters = { order, view, limit: `${pageSize}`, filter, fields: fields?.join(), ...query }
    const page = await settings.readPage?.(topic, withValues(parameters))
    if (page) return page as FetchedPage
    return asPage(await requestJson(service, retry, { path, query: parameters, ms: pageMs, signal }))
  }
}

function withValues(query: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1])))
}

function asPage(answer: unknown): FetchedPage {
  const page = answer as FetchedPage | null | undefined
  if (Array.isArray(page?.data) && typeof page.nextCursor === 'string') return page
  throw notAPage()
}

function notAPage(): RefusedError {
  return new RefusedError(
    'unexpected_answer',
    'The answer is not a page of records, so it did not come from a gateway. Check "url".',
    { status: 200 },
  )
}
