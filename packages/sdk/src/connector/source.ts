import type { Queue } from '@headrace/queue'
import type { Logger } from 'pino'
import type { EndpointHealth } from '../source/fetch/endpoint-state.ts'
import type { Schema } from './schema.ts'

/** What a connector's `read` is given. Its functions may be taken out of it. */
export interface Source<S extends Schema, C> {
  /** Validated settings, defaults filled in. Secrets are in it as they are: log none of it. */
  readonly config: S['config']
  /**
   * Checkpoints of standing units, newest first, those included that have been yielded and are not yet committed.
   *
   * The first one is where to go on from; empty means from the start. It is a view of this moment: ask again after each
   * `yield`. It reaches back to `final` at most, and to no more than 8,192 units.
   */
  history(): readonly C[]
  /**
   * Aborted when the connector is to stop, and when `read` is given up before it is started again. Hand it to every
   * request and every wait: what has not ended a grace period later is left behind.
   */
  readonly signal: AbortSignal
  readonly log: Logger
  /**
   * The queue that is published to, for `queueSource`. What is written to it past the runtime is not published exactly
   * once. A dry run has none.
   */
  readonly queue?: Queue
  /**
   * Calls `listener` after each commit with how many units of this call of `read` are committed, in the order in which
   * they were yielded. For sources that are to be told what they may forget, such as a queue of another system. What it
   * throws is as if `read` had thrown it.
   */
  onCommit(listener: (units: number) => void): void
  /**
   * Says how to ask for the health of the endpoints that the source fetches from, for the metrics of the run. A dry run
   * has none.
   */
  watchEndpoints?(health: () => readonly EndpointHealth[]): void
  /** Tells how far the source has come and where its end is now, in a unit of its own, e.g. block numbers. */
  progress(at: number, head: number): void
}
