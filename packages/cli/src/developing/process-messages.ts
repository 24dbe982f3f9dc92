import type { ExitCode } from '../exit-code.ts'
import type { DevOptions } from './dev-options.ts'

export interface StartMessage {
  readonly type: 'start'
  readonly dir: string
  readonly options: DevOptions
  readonly width: number
}

/** Messages of the running process to the watching one. */
export type FromRun =
  | { readonly type: 'records'; readonly lines: string }
  | { readonly type: 'published'; readonly topics: readonly string[] }
  /** The run has continued after this checkpoint, and published nothing. */
  | { readonly type: 'nothing_new'; readonly checkpoint: unknown }
  | { readonly type: 'stopping' }
  /** The last message. */
  | { readonly type: 'over'; readonly outcome: RunOutcome }

export type RunOutcome =
  | { readonly kind: 'ended' | 'stopped' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly exitCode: ExitCode }
