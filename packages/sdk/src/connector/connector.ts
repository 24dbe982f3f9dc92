import type { VerifyFinding } from '../verification/finding.ts'
import type { Published } from './published.ts'
import type { Schema } from './schema.ts'
import type { Source } from './source.ts'
import type { Units } from './unit.ts'

/** A source of units, and the schema of their messages. */
export interface Connector<S extends Schema, C> {
  readonly schema: S
  /**
   * Yields units, from the one after `history()[0]` on, until the source ends. A source may have no end.
   *
   * - **Order.** Units are published in the order in which they are yielded, each exactly once and whole.
   * - **Concurrency.** Only one call of `read` runs at a time. The next unit is requested while earlier ones are
   *   committed. Up to about 512 KiB of units are collected for the next transaction; then the source has to wait. A
   *   source that fetches ahead limits that itself.
   * - **Errors.** A thrown error ends the call, and `read` is called again after a pause, from the last committed unit.
   *   The pause grows from 1 s to 30 s. After 5 minutes of failures without a committed unit the run fails. A
   *   `UserError` ends the run at once: throw it where trying again cannot help, such as for rejected credentials.
   * - **Cancellation.** When `signal` is aborted, return, or throw what the abort caused. A unit yielded after that is
   *   not published; the next run reads it again.
   * - **End.** Returning means that the source has ended. The run then ends without an error.
   */
  read(source: Source<S, C>): Units<S, C>
  /**
   * Audits what is published and yields findings, for `connector verify`. Without it only what holds for every
   * connector is checked: seqs, unit numbers, reverts, keys and the checkpoint.
   *
   * - **What to check.** Of every unit, what the topics alone show, such as that each block links to the one before. Of
   *   a unit with `compare`, also that it equals the source, with `differences`.
   * - **Order.** Read the units in order, to the end. Comparisons may run concurrently.
   * - **Errors.** A thrown error ends the command. A `RetryableError` means that the source cannot be reached.
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
