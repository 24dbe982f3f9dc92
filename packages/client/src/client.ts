import type { BatchOf, PageOf } from './batch.ts'
import { follow, subscribe } from './follow.ts'
import type { ClientOptions, HistoryOptions, StreamOptions } from './options.ts'
import { readHistory } from './read-history.ts'
import { createService } from './service/service.ts'
import { settings } from './settings.ts'

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
