import type { Project, Settings } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { MetricsAddress } from '@headrace/queue/metrics'
import type { Logger } from 'pino'
import type { Connector } from '../connector/connector.ts'
import type { Schema } from '../connector/schema.ts'

export interface RunOptions {
  readonly connector: Connector<Schema, unknown>
  readonly project: Project
  readonly settings: Settings
  /** Which of several runs of one package this is. Default: the settings in the topic names, else `main`. */
  readonly instance?: string | undefined
  /** Stays open: whoever opened it closes it. */
  readonly queue: Queue
  /** Aborted to stop the run. */
  readonly signal: AbortSignal
  readonly log: Logger
  /**
   * What becomes of a message that cannot be encoded or is too large for its topic. `keep` (default) keeps its place
   * with a record without a value and writes a dead letter; `stop` ends the run.
   */
  readonly onBadMessage?: 'keep' | 'stop' | undefined
  /**
   * `auto` (default) commits the units that are ready at the same time in one transaction, as they are while the source
   * catches up; `off` commits each unit in a transaction of its own.
   */
  readonly group?: 'auto' | 'off' | undefined
  /** Begin anew in new topics where an older version's exist. */
  readonly newTopics?: boolean | undefined
  /**
   * Start although the topics hold records of which the checkpoint does not know: it was lost, or is an old one. They stay
   * and what the source yields from the checkpoint's position on, or from its start, is published after them. Logged.
   */
  readonly publishAgain?: boolean | undefined
  /** How long the source, and after it the writer, may take to end, in ms. Default 10,000. */
  readonly graceMs?: number | undefined
  /** Pauses before `read` is called again. */
  readonly retry?: RetryLimits | undefined
  readonly observer?: RunObserver | undefined
  /** Serve metrics and health over HTTP while the run goes on. Default: none. */
  readonly metrics?: MetricsAddress | undefined
}

/** Pauses double from `firstMs` (default 1,000) to `maxMs` (30,000) until `budgetMs` (300,000) without success is over. */
export interface RetryLimits {
  readonly firstMs?: number
  readonly maxMs?: number
  readonly budgetMs?: number
}

/** Is told how a run goes on. Its functions are called synchronously and must be quick. */
export interface RunObserver {
  /** The run owns its topics and begins to read: after which unit, `null` from the start. */
  onStart?(run: { readonly writerId: string; readonly topics: readonly string[]; readonly checkpoint: unknown }): void
  /** A transaction has become visible. The numbers are those of the run so far. */
  onCommit?(commit: RunTotals & { readonly unit: number; readonly checkpoint: unknown }): void
  /** The source has told how far it has come. */
  onProgress?(at: number, head: number): void
}

/** What a run has committed. */
export interface RunTotals {
  readonly units: number
  /** Records in data topics. */
  readonly records: number
  /** Bytes of the keys and values of those records. */
  readonly bytes: number
  /** Records that only keep the place of a message that could not be produced. */
  readonly badMessages: number
}

export interface RunSummary extends RunTotals {
  /** `ended`: the source has nothing more. `stopped`: the signal was aborted. */
  readonly reason: 'ended' | 'stopped'
}
