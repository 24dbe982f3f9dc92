import type { Position, Positions } from './position.ts'
import type { RetryNotice } from './retry.ts'

export interface ClientOptions {
  /** Where the gateway is, e.g. `https://data.example.com`. */
  readonly url: string
  /** Where live data comes from, if that is another address. Default: `url`. */
  readonly streamUrl?: string
  /**
   * `hr_live_…` or `hr_test_…`. Sent as `Authorization: Bearer`; in browsers as the query parameter `api_key`, since
   * their WebSocket takes no headers and a header costs a preflight for every page.
   */
  readonly apiKey: string
  /** The URL registered for the key, sent as `Origin`. Browsers send the page's own and ignore this. */
  readonly origin?: string
  /** How live data comes. `auto`, the default: over WebSocket, and over SSE where WebSocket cannot get through. */
  readonly transport?: 'auto' | 'websocket' | 'sse'
  /** Characters of unread live data from which on no more is asked for. Default 4 Mi. */
  readonly bufferSize?: number
  /** How long a failure is met with another try, in ms, from the first one in a row. Default 5 minutes. */
  readonly retryForMs?: number
  /** Is told of each failure that is met with another try. */
  onRetry?(notice: RetryNotice): void
}

export interface HistoryOptions<Topic extends string> {
  readonly topic: Topic
  /** Where the range begins. Default `earliest`. */
  readonly from?: Position | undefined
  /** Where the range ends; what lies after it is not read. Default `latest`. Stays where it was at the first page. */
  readonly to?: Position | undefined
  /** `asc`, the default: oldest first. `desc`: newest first. */
  readonly order?: 'asc' | 'desc'
  /** `canonical`, the default: what is true now. `log`: what was published, with what was taken back. */
  readonly view?: 'canonical' | 'log'
  /** Records of a page, 1 to 1,000. Default 1,000. */
  readonly pageSize?: number
  /** Ends the reading: the iterator throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export interface StreamOptions<Topic extends string> {
  /** 1 to 100. Over SSE, each takes a connection, so there may be 5 in a page. */
  readonly topics: readonly Topic[]
  /** Where to begin, in all topics or in each. A topic that is not named, or has nothing, begins at the default. */
  readonly from?: Position | Positions<Topic> | null | undefined
  /** What a loss of records is: `error`, the default, or a batch with `gap`, after which reading goes on. */
  readonly onGap?: 'error' | 'skip'
  /** Ends the reading: the iterator throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}
