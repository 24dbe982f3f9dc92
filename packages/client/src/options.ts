import type { Position, Positions } from './position.ts'
import type { RetryNotice } from './retry.ts'

export interface ClientOptions {
  /** Address of the gateway, e.g. `https://data.example.com`. */
  readonly url: string
  /** Address for live data. Default: `url`. */
  readonly streamUrl?: string
  /**
   * `hr_live_…` or `hr_test_…`. Sent as `Authorization: Bearer`. In browsers it is sent as the query parameter `api_key`,
   * since their WebSocket cannot send headers, and a header needs a preflight for every page.
   */
  readonly apiKey: string
  /** The URL registered for the key, sent as `Origin`. Browsers ignore it and send the origin of the page. */
  readonly origin?: string
  /** Transport of live data. `auto`, the default: WebSocket, or SSE if WebSocket is blocked. */
  readonly transport?: 'auto' | 'websocket' | 'sse'
  /** Maximal characters of unread live data before reading pauses. Default 4 Mi. */
  readonly bufferSize?: number
  /** Time for which failures are retried, in ms, from the first failure in a row. Default 5 minutes. */
  readonly retryForMs?: number
  /** Called for each failure that is retried. */
  onRetry?(notice: RetryNotice): void
}

export interface HistoryOptions<Topic extends string> {
  readonly topic: Topic
  /** Start of the range. Default `earliest`. */
  readonly from?: Position | undefined
  /** End of the range, exclusive. Default `latest`. It is fixed at the first page. */
  readonly to?: Position | undefined
  /** `asc`, the default: oldest first. `desc`: newest first. */
  readonly order?: 'asc' | 'desc'
  /** `canonical`, the default: without reverted records. `log`: every published record. */
  readonly view?: 'canonical' | 'log'
  /** Records of a page, 1 to 1,000. Default 1,000. */
  readonly pageSize?: number
  /** Ends reading: the iterator throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

export interface StreamOptions<Topic extends string> {
  /** 1 to 100. Over SSE, each uses one connection, so a page may read at most 5. */
  readonly topics: readonly Topic[]
  /** Start, for all topics or for each. A topic without a position starts at the default. */
  readonly from?: Position | Positions<Topic> | null | undefined
  /** What happens if records are lost: `error` (default), or `skip` for a batch with `gap`, after which reading continues. */
  readonly onGap?: 'error' | 'skip'
  /** Ends reading: the iterator throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}
