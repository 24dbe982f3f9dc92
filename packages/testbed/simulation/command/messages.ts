import type { Outcome } from '../scenario.ts'
import type { Tally } from './tally.ts'

/** Seeds of a scenario to run. */
export interface RunTask {
  readonly what: 'run'
  readonly scenario: string
  readonly from: number
  readonly seeds: number
}

/** A task of a child process. */
export type Task = RunTask | { readonly what: 'shrink'; readonly scenario: string; readonly seed: number }

/** The result of a task. */
export type Report =
  | { readonly what: 'begins'; readonly seed: number }
  | { readonly what: 'has run'; readonly scenario: string; readonly tally: Tally; readonly failed: readonly Outcome[] }
  | { readonly what: 'has shrunk'; readonly outcome: Outcome }
