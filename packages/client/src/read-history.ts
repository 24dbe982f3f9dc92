import type { DataRecord, Page } from './batch.ts'
import { InvalidOptionError, RecordsMissingError, RefusedError } from './errors.ts'
import type { HistoryOptions } from './options.ts'
import { isMoving, type Position } from './position.ts'
import { createRetry, withDeadline } from './retry.ts'
import { createSequence } from './sequence.ts'
import type { ClientContext, Service } from './service/service.ts'
import { readText } from './service/service-errors.ts'

export function readHistory(
  context: ClientContext,
  options: HistoryOptions<string>,
): AsyncGenerator<Page<unknown>, void, void> {
  const { pageSize = 1000 } = options
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 1000)
    throw new InvalidOptionError(`pageSize is ${pageSize}. It must be a whole number from 1 to 1000.`)
  return readPages(context, { ...options, pageSize })
}

async function* readPages(
  { service, ...settings }: ClientContext,
  options: HistoryOptions<string>,
): AsyncGenerator<Page<unknown>, void, void> {
  const { topic, order = 'asc', view = 'canonical', pageSize } = options
  const range = { from: options.from, to: options.to === 'latest' ? undefined : options.to }
  // For the page that is fetched ahead when the iterator ends.
  const stop = new AbortController()
  const abort = () => stop.abort(options.signal?.reason)
  if (options.signal?.aborted) abort()
  options.signal?.addEventListener('abort', abort)
  const { signal } = stop
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
      if (order === 'asc') end ??= head
      nextPage = page.hasMore ? fetch({ [fixedBound]: end, cursor: page.nextCursor }) : undefined
      // Awaited after this page. Until then, its error must not be unhandled.
      nextPage?.catch(() => {})
      yield { topic, records: checked(page.data), cursor: page.nextCursor, headCursor: head }
    }
  } finally {
    options.signal?.removeEventListener('abort', abort)
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

  function checked(records: FetchedPage['data']): FetchedPage['data'] {
    return records.filter((record) => {
      const found = sequence.take(record)
      if (found instanceof RecordsMissingError) throw found
      return found === 'next'
    })
  }

  async function fetch(query: PageQuery): Promise<FetchedPage> {
    for (;;) {
      try {
        const page = await fetchPage(service, topic, { order, view, limit: `${pageSize}`, ...query }, signal)
        retry.succeeded()
        return page
      } catch (error) {
        await retry.after(error)
      }
    }
  }
}

interface FetchedPage {
  readonly topic: string
  readonly data: readonly DataRecord<unknown>[]
  readonly nextCursor: string
  readonly headCursor: string
  readonly hasMore: boolean
}

type PageQuery = Readonly<Record<string, string | undefined>>

const pageMs = 60_000

function fetchPage(
  service: Service,
  topic: string,
  query: PageQuery,
  signal: AbortSignal | undefined,
): Promise<FetchedPage> {
  return withDeadline({ ms: pageMs, signal }, async (signal) => {
    const response = await service.get(`/api/v1/data/${encodeURIComponent(topic)}`, query, signal)
    return readPage(await readText(response, signal))
  })
}

function readPage(text: string): FetchedPage {
  try {
    const page = JSON.parse(text) as FetchedPage
    if (Array.isArray(page.data) && typeof page.nextCursor === 'string') return page
  } catch {}
  throw new RefusedError(
    'unexpected_answer',
    'The answer is not a page of records, so it did not come from a gateway. Check "url".',
    { status: 200 },
  )
}
