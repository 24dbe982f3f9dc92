import type { Queue } from '@headrace/queue'
import type { Logger } from 'pino'
import type { EndpointHealth } from '../source/fetch/endpoint-state.ts'
import type { Schema } from './schema.ts'

/** The argument of a connector's `read`. Its functions do not need `this`. */
export interface Source<S extends Schema, C> {
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
  /** Registers the health of the source's endpoints, for the metrics of the run. A dry run has none. */
  watchEndpoints?(health: () => readonly EndpointHealth[]): void
  /** Reports how far the source is read and where it ends now, in its own unit, e.g. block numbers. */
  progress(at: number, head: number): void
}
