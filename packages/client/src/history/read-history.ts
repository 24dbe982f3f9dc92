import type { Page } from '../batch.ts'
import type { HistoryOptions } from '../client.ts'
import { InvalidOptionError, RecordsMissingError } from '../errors.ts'
import { createRetry } from '../retry/retry.ts'
import { createSequence } from '../sequence.ts'
import type { ClientContext } from '../settings.ts'
import { type FetchedPage, fetchPage } from './fetch-page.ts'

/** Reads a range of a topic, page by page, one page ahead. See `Client.history`. */
export async function* readHistory(
  { service, ...settings }: ClientContext,
  options: HistoryOptions<string>,
): AsyncGenerator<Page<unknown>, void, void> {
  const { topic, from, to, order = 'asc', view = 'canonical', pageSize = 1000 } = options
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 1000)
    throw new InvalidOptionError(`pageSize is ${pageSize}. It must be a whole number from 1 to 1000.`)
  // Left behind: the page that is fetched ahead ends with the iterator.
  const stop = new AbortController()
  const abort = () => stop.abort(options.signal?.reason)
  if (options.signal?.aborted) abort()
  options.signal?.addEventListener('abort', abort)
  const { signal } = stop
  const retry = createRetry({ ...settings, signal })
  const sequence = createSequence({ order, view })
  let end = to
  const range = { ...(from ? { from } : {}), ...(to ? { to } : {}) }
  const fixed = { order, view, limit: `${pageSize}` }

  try {
    let coming: Promise<FetchedPage> | undefined = fetch({ ...fixed, ...range })
    while (coming) {
      const page: FetchedPage = await coming
      coming = page.hasMore ? fetch({ ...fixed, ...rest(page) }) : undefined
      // It is awaited once this page has been handled.
      coming?.catch(() => {})
      yield { topic, records: checked(page.data), cursor: page.nextCursor, headCursor: page.headCursor }
    }
  } finally {
    options.signal?.removeEventListener('abort', abort)
    stop.abort()
  }

  function checked(records: FetchedPage['data']): FetchedPage['data'] {
    return records.filter((record) => {
      const found = sequence.take(record)
      if (found instanceof RecordsMissingError) throw found
      return found === 'next'
    })
  }

  /** The cursor stands in for the end at which reading goes on; the other end stays, where it was at the first page. */
  function rest(page: FetchedPage): Record<string, string> {
    if (order === 'desc') return { ...(from ? { from } : {}), cursor: page.nextCursor }
    end ??= page.headCursor
    return { to: end, cursor: page.nextCursor }
  }

  async function fetch(query: Readonly<Record<string, string>>): Promise<FetchedPage> {
    for (;;) {
      try {
        const page = await fetchPage(service, topic, query, signal)
        retry.succeeded()
        return page
      } catch (error) {
        await retry.after(error)
      }
    }
  }
}
