import { InvalidOptionError } from './errors.ts'
import type { Position, Positions } from './position.ts'
import type { RetryNotice } from './retry.ts'

export type ClientOptions = ServiceOptions & (KeyOption | TokenOption)

export interface ServiceOptions {
  /** E.g. `https://data.example.com`. */
  readonly url: string
  /** For live data. Default: `url`. */
  readonly streamUrl?: string
  /** The URL registered for the key, sent as `Origin`. Browsers send the origin of the page. */
  readonly origin?: string
  /** Default `auto`: WebSocket, or SSE if WebSocket is blocked. */
  readonly transport?: 'auto' | 'websocket' | 'sse'
  /** Characters of unread live data above which reading pauses. Default 4 Mi. */
  readonly bufferSize?: number
  /** In ms, from the first failure in a row. Default 5 minutes. */
  readonly retryForMs?: number
  /** Called for each failure that is retried. */
  onRetry?(notice: RetryNotice): void
  /**
   * Reads a page of history from a gateway in the same process, instead of `GET /api/v1/data/{topic}`: `gateway.readPage`
   * of `@headrace/server`. `undefined`: the page is requested.
   */
  readPage?(topic: string, query: Readonly<Record<string, string>>): Promise<object | undefined>
  /** Called when a stream is open: at its first connection, and at each one after a failure. */
  onConnect?(): void
}

export interface KeyOption {
  /**
   * Sent as `Authorization: Bearer`; in browsers as `api_key`, since their WebSocket cannot send headers, and a header
   * needs a preflight for every page of another origin.
   */
  readonly apiKey: string
  readonly token?: undefined
}

export interface TokenOption {
  readonly apiKey?: undefined
  /**
   * Returns a token, e.g. from a backend that calls `createToken` of `@headrace/client/token`. It is called again before
   * the token expires, and when the gateway refuses it.
   */
  readonly token: () => Promise<string>
}

export interface HistoryOptions<Topic extends string, Fields extends readonly string[] = readonly string[]> {
  readonly topic: Topic
  /** Default `earliest`. */
  readonly from?: Position | undefined
  /** Exclusive. Default `latest`. It is fixed at the first page. */
  readonly to?: Position | undefined
  /** Default `asc`: oldest first. */
  readonly order?: 'asc' | 'desc'
  /** Default `canonical`: without reverted records. */
  readonly view?: 'canonical' | 'log'
  /** Only records for which this CEL expression is true, e.g. `value.From == "0xab…"`. Pages may then be empty. */
  readonly filter?: string | undefined
  /** Only these fields of `value`. */
  readonly fields?: Fields | undefined
  /** 1 to 1,000. Default 1,000. */
  readonly pageSize?: number
  /** Ends reading: the iterator throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

export interface StreamOptions<Topic extends string, Fields extends FieldsByTopic<Topic> = FieldsByTopic<Topic>> {
  /** 1 to 100. Over SSE, each uses one connection, so a page may read at most 5. */
  readonly topics: readonly Topic[]
  /** For all topics or for each. A topic without a position starts at the default. */
  readonly from?: Position | Positions<Topic> | null | undefined
  /** A CEL expression, for all topics or for each: only records for which it is true. */
  readonly filter?: string | { readonly [Name in Topic]?: string } | undefined
  /** Only these fields of `value`, for all topics or for each. */
  readonly fields?: Fields | undefined
  /** If records are lost: `error` (default), or `skip` for a batch with `gap`, after which reading continues. */
  readonly onGap?: 'error' | 'skip'
  /** Ends reading: the iterator throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

export type FieldsByTopic<Topic extends string> = readonly string[] | { readonly [Name in Topic]?: readonly string[] }

export type Settings = Required<Pick<ServiceOptions, 'transport' | 'bufferSize' | 'retryForMs'>> & {
  readonly onRetry: ServiceOptions['onRetry']
  readonly onConnect: ServiceOptions['onConnect']
  readonly readPage?: ServiceOptions['readPage']
}

/** @throws {InvalidOptionError} */
export function settings(options: ServiceOptions): Settings {
  const { transport = 'auto', bufferSize = 4 << 20, retryForMs = 300_000, onRetry, onConnect, readPage } = options
  if (!['auto', 'websocket', 'sse'].includes(transport))
    throw new InvalidOptionError(`transport is "${transport}". Allowed: "auto", "websocket", "sse".`)
  if (!(bufferSize > 0)) throw new InvalidOptionError(`bufferSize is ${bufferSize}. It must be above 0.`)
  if (!(retryForMs >= 0)) throw new InvalidOptionError(`retryForMs is ${retryForMs}. It must be 0 or above.`)
  return { transport, bufferSize, retryForMs, onRetry, onConnect, readPage }
}
