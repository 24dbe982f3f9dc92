import type { BatchOf, PageOf } from './batch.ts'
import { follow, subscribe } from './follow.ts'
import { type ClientOptions, type HistoryOptions, type StreamOptions, settings } from './options.ts'
import { readHistory } from './read-history.ts'
import type { FieldChoice, Selected } from './selected.ts'
import { createService } from './service/service.ts'
import { createState, type State } from './state.ts'

/** Each iterator has its own connection and closes it when it ends. */
export interface Client<Messages extends object> extends State {
  /**
   * Reads a range of a topic in pages. It fetches one page ahead.
   *
   * @throws {RefusedError} retrying does not help.
   * @throws {PositionUnavailableError} the records at a position no longer exist.
   * @throws {UnavailableError} the gateway did not answer for `retryForMs`.
   * @throws {RecordsMissingError} a seq was skipped, in the view `log`.
   */
  history<
    Topic extends keyof Messages & string,
    const Fields extends readonly (keyof Messages[Topic] & string)[] = readonly [],
  >(
    options: HistoryOptions<Topic, Fields>,
  ): AsyncGenerator<PageOf<Selected<Messages, Topic, Fields>, Topic>, void, void>

  /**
   * Reads topics live: every published record, reverts included. Default start: `latest`. It never ends by itself, and
   * after a failure it continues with the record after the last one.
   *
   * It reads ahead up to `bufferSize`. While it waits for a batch, only the signal ends it: `return` also waits.
   *
   * @throws As `history`, and {RecordsMissingError} if records are lost and `onGap` is `error`.
   */
  subscribe<Topic extends keyof Messages & string, const Fields extends FieldChoice<Messages, Topic> = readonly []>(
    options: StreamOptions<Topic, Fields>,
  ): AsyncGenerator<BatchOf<Selected<Messages, Topic, Fields>, Topic>, void, void>

  /**
   * Reads the canonical history of topics, one after the other, then all of them live, without a gap between. Default
   * start: `earliest`. From the cursor of an earlier batch it continues live; records that were reverted since then come
   * as reverts. After a gap it reads the log.
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
  follow<Topic extends keyof Messages & string, const Fields extends FieldChoice<Messages, Topic> = readonly []>(
    options: StreamOptions<Topic, Fields>,
  ): AsyncGenerator<BatchOf<Selected<Messages, Topic, Fields>, Topic>, void, void>
}

/**
 * Creates a client.
 *
 * @typeParam Messages - Topic → type of its messages, as printed by `connector types`.
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
  // The types of messages are not checked at run time.
  return {
    history: (request) => readHistory(context, request),
    subscribe: (request) => subscribe(context, request),
    follow: (request) => follow(context, request),
    ...createState(context),
  } as Client<Messages>
}
