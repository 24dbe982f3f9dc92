import type { VerifyFinding } from '../verification/finding.ts'
import type { Published } from './published.ts'
import type { Schema } from './schema.ts'
import type { Source } from './source.ts'
import type { Units } from './unit.ts'

export interface Connector<S extends Schema, C> {
  readonly schema: S
  /**
   * Yields units, from the one after `history()[0]` on, until the source ends.
   *
   * - **Order.** Units are published in the order in which they are yielded, each exactly once.
   * - **Concurrency.** One call of `read` runs at a time. The next unit is requested while earlier ones are committed,
   *   up to about 512 KiB ahead.
   * - **Errors.** After an error `read` is called again, from the last committed unit, after a pause of 1 s to 30 s.
   *   After 5 minutes without a committed unit the run fails. A `UserError` ends the run at once.
   * - **Cancellation.** When `signal` is aborted, return, or throw what the abort caused. Units yielded after that are
   *   not published.
   * - **End.** Returning ends the run without an error.
   */
  read(source: Source<S, C>): Units<S, C>
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
export function defineConnector<S extends Schema, C>(connector: Connector<S, C>): Connector<S, C> {
  return connector
}
