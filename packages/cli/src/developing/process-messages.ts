import type { ExitCode } from '../exit-code.ts'
import type { DevOptions } from './dev-options.ts'

/** The only message to the running process. */
export interface StartMessage {
  readonly type: 'start'
  readonly dir: string
  readonly options: DevOptions
  /** Most characters per line. */
  readonly width: number
}

/** Messages of the running process to the watching one. */
export type FromRun =
  /** Whole lines for standard output. */
  | { readonly type: 'records'; readonly lines: string }
  /** These topics have records. */
  | { readonly type: 'published'; readonly topics: readonly string[] }
  /** The run has continued after this checkpoint, and published nothing. */
  | { readonly type: 'nothing_new'; readonly checkpoint: unknown }
  /** The run has received the signal to stop. */
  | { readonly type: 'stopping' }
  /** The last message. */
  | { readonly type: 'over'; readonly outcome: RunOutcome }

export type RunOutcome =
  | { readonly kind: 'ended' | 'stopped' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly exitCode: ExitCode }
