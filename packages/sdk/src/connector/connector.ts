import type { DescMessage } from '@bufbuild/protobuf'
import type { Queue } from '@headrace/queue'
import type { Logger } from 'pino'
import type { EndpointHealth } from '../source/fetch/endpoint-state.ts'
import type { VerifyFinding } from '../verification/finding.ts'
import type { Published } from './published.ts'
import type { EncodedMessages, Messages, Schema } from './schema.ts'

export interface Connector<S extends Schema = Schema, C = unknown, U extends AnyUnit<S, C> = AnyUnit<S, C>> {
  readonly schema: S
  /**
   * Yields units, from the one after `history()[0]` on, until the source ends.
   *
   * - **Order.** Units are published in the order in which they are yielded, each exactly once.
   * - **Concurrency.** One call of `read` runs at a time. The next unit is requested while earlier ones are committed,
   *   up to about 2 MiB ahead.
   * - **Errors.** After an error `read` is called again, from the last committed unit, after a pause of 1 s to 30 s.
   *   After 5 minutes without a committed unit the run fails. A `UserError` ends the run at once.
   * - **Cancellation.** When `signal` is aborted, return, or throw what the abort caused. Units yielded after that are
   *   not published.
   * - **End.** Returning ends the run without an error.
   */
  read(source: Source<S, C>): AsyncGenerator<U, void, undefined>
  /**
   * Audits what is published and yields findings, for `connector verify`, in addition to the checks that hold for every
   * connector.
   *
   * Check of every unit what the topics alone show, such as that each block links to the one before, and of a unit with
   * `compare` also that it equals the source. Read the units in order, to the end; comparisons may run concurrently. A
   * thrown error ends the command; a `RetryableError` means that the source cannot be reached.
   */
  verify?(published: Published<S, C>): AsyncIterable<VerifyFinding>
}

/**
 * Declares a connector: the default export of a connector's module.
 *
 * @example
 * ```ts
 * import { defineConnector, type Source, type Units } from '@headrace/sdk'
 * import { schema } from './generated/schema.ts'
 *
 * type Position = { page: number }
 *
 * export default defineConnector({
 *   schema,
 *   async *read({ config, history, signal }: Source<typeof schema, Position>): Units<typeof schema, Position> {
 *     for (let page = (history()[0]?.page ?? 0) + 1; ; page++) {
 *       const response = await fetch(`${config.url}?page=${page}`, { signal })
 *       if (response.status === 404) return
 *       if (!response.ok) throw new Error(`Page ${page} was answered with ${response.status}.`)
 *       yield { checkpoint: { page }, messages: { Quote: await response.json() } }
 *     }
 *   },
 * })
 * ```
 */
export function defineConnector<S extends Schema, C, U extends AnyUnit<S, C>>(
  connector: Connector<S, C, U>,
): Connector<S, C, U> {
  return connector
}

/** The argument of a connector's `read`. Its functions do not need `this`. */
export interface Source<S extends Schema = Schema, C = unknown> {
  /** Validated settings with defaults. They contain secrets in plain text: log none. */
  readonly config: S['config']
  /**
   * Checkpoints of the canonical units, newest first, including units that are not committed yet: at most 8,192, back
   * to the `final` unit. Continue after the first one; none means from the start. It is a snapshot: call it again after
   * each `yield`.
   */
  history(): readonly C[]
  /**
   * Aborted when the connector must stop, and before `read` is called again. The runtime waits for the end of `read`
   * for a grace period only.
   */
  readonly signal: AbortSignal
  readonly log: Logger
  /**
   * The queue that is published to, for `queueSource`. Records written to it directly are not published exactly once. A
   * dry run has none.
   */
  readonly queue?: Queue
  /**
   * Calls `listener` after each commit with the number of committed units of this call of `read`, for sources that need
   * acknowledgements. An error that it throws counts as thrown by `read`.
   */
  onCommit(listener: (units: number) => void): void
  /**
   * The message of this short name in the project's .proto files. `undefined`: it has no topic. Units that are read
   * without a project have none.
   */
  descriptor?(message: string): DescMessage | undefined
  /** Registers the health of the source's endpoints, for the metrics of the run. A dry run has none. */
  watchEndpoints?(health: () => readonly EndpointHealth[]): void
  /** Reports how far the source is read and where it ends now, in its own unit, e.g. block numbers. */
  progress(at: number, head: number): void
}

/**
 * Messages that are committed in one transaction, e.g. one block with its transactions: at most 64 MiB encoded. It must
 * not change after it was yielded.
 */
export interface Unit<S extends Schema = Schema, C = unknown> {
  /** The source's position after this unit, as JSON of at most 64 KiB: `history()[0]` at the next start. */
  readonly checkpoint: C
  /** Absent or empty: only the checkpoint moves. */
  readonly messages?: Messages<S>
  /** First reverts every unit after the one with this checkpoint, which is one of `history()`. `null`: all of them. */
  readonly revertTo?: C | null
  /**
   * No unit up to the one with this checkpoint will be reverted: one of `history()`, or its own. An unknown checkpoint
   * is ignored.
   */
  readonly final?: C
  /** Record time of messages without a time of their own. Default: the time of publishing. */
  readonly time?: Date
  /** W3C Trace Context of the trace that the unit continues. An invalid one is ignored. Default: a trace of its own. */
  readonly traceparent?: string
}

/** A unit whose messages are encoded. */
export interface EncodedUnit<S extends Schema = Schema, C = unknown> extends Omit<Unit<S, C>, 'messages'> {
  readonly messages?: EncodedMessages<S>
}

export type AnyUnit<S extends Schema = Schema, C = unknown> = Unit<S, C> | EncodedUnit<S, C>

export type Units<S extends Schema = Schema, C = unknown> = AsyncGenerator<Unit<S, C>, void, undefined>
