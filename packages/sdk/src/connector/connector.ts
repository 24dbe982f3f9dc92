import type { VerifyFinding } from '../verification/finding.ts'
import type { Published } from './published.ts'
import type { Schema } from './schema.ts'
import type { Source } from './source.ts'
import type { Units } from './unit.ts'

/** A source of units, and the schema of the messages in them. */
export interface Connector<S extends Schema, C> {
  readonly schema: S
  /**
   * Yields units, from the one after `history()[0]` on, for ever or until the source ends.
   *
   * - **Order.** Units are published in the order they are yielded, each exactly once, each whole.
   * - **Concurrency.** One call at a time is under way. The next unit is asked for while those before are being committed,
   *   and those that come meanwhile gather for the next transaction: about 512 KiB of them, then the source has to wait. A
   *   source that fetches ahead bounds that itself.
   * - **Errors.** A thrown error ends this call, and `read` is called again after a pause, from the last committed unit.
   *   The pause grows from 1 s to 30 s; after 5 minutes of failures without a committed unit the run fails. A `UserError` ends the
   *   run at once: throw it for what trying again cannot mend, such as a refused credential.
   * - **Cancellation.** When `signal` is aborted the call ends, by returning or by throwing whatever the abort threw.
   *   A unit yielded after that is not published: it is read again by the next run.
   * - **End.** Returning says that the source has nothing more, ever: the run ends well.
   */
  read(source: Source<S, C>): Units<S, C>
  /**
   * Looks at what stands in the topics and yields what is wrong with it, for `connector verify`. Left out: only what holds
   * of every connector is checked (seqs, unit numbers, reverts, keys, the checkpoint).
   *
   * - **What to check.** What can be seen in the topics, such as that each block links to the one before, of every unit;
   *   and where a unit says `compare`, that it is what the source has, by `differences`.
   * - **Order.** Take the units in order, to the end. Comparing may run ahead side by side.
   * - **Errors.** What it throws ends the command; a `RetryableError` says that the source cannot be reached.
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
