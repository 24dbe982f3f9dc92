import type { ExitCode } from '../exit-code.ts'
import type { DevOptions } from './dev-options.ts'

/** The first and only message to the process that runs the connector. */
export interface StartMessage {
  readonly type: 'start'
  readonly dir: string
  readonly options: DevOptions
  /** Characters to a line, at most. */
  readonly width: number
}

/** What the process that runs the connector tells the one that watches. */
export type FromRun =
  /** Whole lines for standard output. */
  | { readonly type: 'records'; readonly lines: string }
  /** These topics have records. */
  | { readonly type: 'published'; readonly topics: readonly string[] }
  /** It continues after this checkpoint and has published nothing. */
  | { readonly type: 'nothing_new'; readonly checkpoint: unknown }
  /** It has heard that it is to stop. */
  | { readonly type: 'stopping' }
  /** The last message. */
  | { readonly type: 'over'; readonly outcome: RunOutcome }

/** How a run came to its end. */
export type RunOutcome =
  | { readonly kind: 'ended' | 'stopped' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly exitCode: ExitCode }
