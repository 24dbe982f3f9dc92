import type { BatchOf, PageOf } from './batch.ts'
import { follow, subscribe } from './follow.ts'
import { readHistory } from './history/read-history.ts'
import type { Position, Positions } from './position.ts'
import type { RetryNotice } from './retry/retry.ts'
import { createService } from './service/service.ts'
import { settings } from './settings.ts'

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

/** Reads the topics of a service. Holds no connection of its own: each iterator has one, and closes it at its end. */
export interface Client<Messages extends object> {
  /**
   * Reads a range of a topic, page by page. The page after the one in hand is fetched meanwhile.
   *
   * @throws {RefusedError} the service says no, for good.
   * @throws {PositionUnavailableError} the records of a position are gone.
   * @throws {UnavailableError} the service did not answer for `retryForMs`.
   * @throws {RecordsMissingError} a seq was left out, in the view `log`.
   */
  history<Topic extends keyof Messages & string>(
    options: HistoryOptions<Topic>,
  ): AsyncGenerator<PageOf<Messages, Topic>, void, void>

  /**
   * Reads topics live, from a place on: every record as it was published, reverts included. Begins at `latest` where
   * `from` says nothing else. Never ends by itself: it comes back after every failure, at the record after the last one.
   *
   * While a batch is being handled, up to `bufferSize` is read ahead, and no more. While one is waited for, only the signal
   * ends the reading: `return` waits for the batch, too.
   *
   * @throws the same as `history`, and {RecordsMissingError} in place of a gap.
   */
  subscribe<Topic extends keyof Messages & string>(
    options: StreamOptions<Topic>,
  ): AsyncGenerator<BatchOf<Messages, Topic>, void, void>

  /**
   * Reads topics whole: first what is true now, one topic after the other, then all of them live, without a hole between.
   * Begins at `earliest` where `from` says nothing else. From the cursor of an earlier batch it goes on there, live at
   * once: what was true then and is not any more comes as a revert. After a gap it is the log from there on, too.
   *
   * @throws the same as `subscribe`.
   *
   * @example
   * ```ts
   * for await (const { records, cursor } of client.follow({ topics: [blocks], from: await store.cursor() }))
   *   await store.transaction(async (tx) => {
   *     for (const record of records)
   *       if (record.op === 'revert') await tx.delete(record.partition, record.reverts)
   *       else await tx.put(record.partition, record.seq, record.value)
   *     await tx.saveCursor(cursor)
   *   })
   * ```
   */
  follow<Topic extends keyof Messages & string>(
    options: StreamOptions<Topic>,
  ): AsyncGenerator<BatchOf<Messages, Topic>, void, void>
}

/**
 * Makes a reader of a service.
 *
 * @typeParam Messages - Topic → the type of its messages, as `connector types` prints them.
 * @throws {InvalidOptionError}
 *
 * @example
 * ```ts
 * const client = createClient<{ 'headrace.evm.1_0_0.ethereum_Block': Block }>({ url, apiKey })
 * ```
 */
export function createClient<Messages extends object = { [topic: string]: Readonly<Record<string, unknown>> }>(
  options: ClientOptions,
): Client<Messages> {
  const context = { service: createService(options), ...settings(options) }
  // The messages are what the caller says they are: nothing here looks into them.
  return {
    history: (request) => readHistory(context, request),
    subscribe: (request) => subscribe(context, request),
    follow: (request) => follow(context, request),
  } as Client<Messages>
}
