import { RefusedError } from '../errors.ts'
import type { DataRecord } from '../record.ts'
import { withDeadline } from '../retry/with-deadline.ts'
import { readText } from '../service/read-text.ts'
import type { Service } from '../service/service.ts'

/** A page as the service sends it. */
export interface FetchedPage {
  readonly topic: string
  readonly data: readonly DataRecord<unknown>[]
  readonly nextCursor: string
  readonly headCursor: string
  readonly hasMore: boolean
}

/** Parameters by name, as `GET /api/v1/data/<topic>` takes them. */
export type PageQuery = Readonly<Record<string, string | undefined>>

/** Time in which a page must be here whole, in ms. */
const pageMs = 60_000

/** @throws {ClientError} */
export function fetchPage(
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
  throw new RefusedError('unexpected_answer', 'The answer is no page: this is no gateway. Check "url".', {
    status: 200,
  })
}
