import type { Queue } from '@headrace/queue'
import type { Logger } from 'pino'
import type { EndpointHealth } from '../source/fetch/endpoint-state.ts'
import type { Schema } from './schema.ts'

/** The argument of a connector's `read`. Its functions do not need `this`. */
export interface Source<S extends Schema, C> {
  /** Validated settings with defaults. They contain secrets in plain text: log none of them. */
  readonly config: S['config']
  /**
   * Checkpoints of the canonical units, newest first, including units that were yielded and are not committed yet.
   *
   * Continue after the first one; none means from the start. The result is a snapshot: call it again after each
   * `yield`. It ends at the `final` unit, and has at most 8,192 entries.
   */
  history(): readonly C[]
  /**
   * Aborted when the connector must stop, and before `read` is called again. Pass it to every request and every wait.
   * The runtime waits for the end of `read` for a grace period only.
   */
  readonly signal: AbortSignal
  readonly log: Logger
  /**
   * The queue that is published to, for `queueSource`. Records written to it directly are not published exactly once. A
   * dry run has none.
   */
  readonly queue?: Queue
  /**
   * Calls `listener` after each commit with the total number of committed units of this call of `read`, in the order in
   * which they were yielded. For sources that need acknowledgements, such as another queue. An error that it throws
   * counts as thrown by `read`.
   */
  onCommit(listener: (units: number) => void): void
  /**
   * Registers the health of the endpoints that the source fetches from, for the metrics of the run. A dry run has none.
   */
  watchEndpoints?(health: () => readonly EndpointHealth[]): void
  /** Reports how far the source is read and where it ends now, in a unit of its own, e.g. block numbers. */
  progress(at: number, head: number): void
}
