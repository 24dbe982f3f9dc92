import type { Project, RunReport, Settings } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { MetricsAddress } from '@headrace/queue/metrics'
import type { Logger } from 'pino'
import type { Connector } from '../connector/connector.ts'

export interface RunOptions {
  readonly connector: Connector
  readonly project: Project
  readonly settings: Settings
  /** Which of several runs of one package it is. Default: the settings in the topic names, else `main`. */
  readonly instance?: string | undefined
  readonly queue: Queue
  readonly signal: AbortSignal
  readonly log: Logger
  /**
   * What to do with a message that cannot be encoded or is too large. `keep` (default) publishes a record without a
   * value and writes a dead letter; `stop` ends the run.
   */
  readonly onBadMessage?: 'keep' | 'stop' | undefined
  /**
   * `auto` (default) commits units that are ready at the same time in one transaction; `off` commits each unit alone.
   */
  readonly group?: 'auto' | 'off' | undefined
  /** Create new topics where those of an older version exist. */
  readonly newTopics?: boolean | undefined
  /**
   * Start although the topics hold records that the checkpoint does not know. They are kept, and what the source yields
   * after the checkpoint is published after them.
   */
  readonly publishAgain?: boolean | undefined
  /** How long the source, and after it the writer, may take to end, in ms. Default 10,000. */
  readonly graceMs?: number | undefined
  readonly retry?: RetryLimits | undefined
  readonly observer?: RunObserver | undefined
  /** Default: none. */
  readonly metrics?: MetricsAddress | undefined
}

/**
 * Pauses double from `firstMs` (default 1,000) to `maxMs` (30,000) until `budgetMs` (300,000) have passed without
 * success.
 */
export interface RetryLimits {
  readonly firstMs?: number
  readonly maxMs?: number
  readonly budgetMs?: number
}

/** Observes a run. Its functions are called synchronously and must be quick. */
export interface RunObserver {
  onStart?(run: OwningRun): void
  /** The numbers are totals of the run. */
  onCommit?(commit: RunTotals & { readonly unit: number; readonly checkpoint: unknown }): void
  onProgress?(at: number, head: number): void
}

/**
 * `starting`: it does not own its topics yet. `retrying`: the source or the queue has failed, or no endpoint of the
 * source answers.
 */
export type RunState = 'starting' | 'running' | 'retrying' | 'stopping'

/** A run that owns its topics. */
export interface OwningRun {
  readonly writerId: string
  readonly topics: readonly string[]
  /** The run reads after it; `null`: from the start. */
  readonly checkpoint: unknown
  /** What the run knows now. */
  report(): RunReport & { readonly state: RunState }
}

export interface RunTotals {
  readonly units: number
  readonly records: number
  readonly bytes: number
  /** Records without a value for messages that could not be produced. */
  readonly badMessages: number
}

export interface RunSummary extends RunTotals {
  /** `ended`: the source has ended. `stopped`: the signal was aborted. */
  readonly reason: 'ended' | 'stopped'
}
