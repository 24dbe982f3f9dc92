import type { ExitCode } from '../exit-code.ts'
import type { RunCommandOptions } from '../options/run-options.ts'

export interface DevOptions extends RunCommandOptions {
  readonly serve?: true
  readonly port?: number
  readonly fromStart?: true
  readonly json?: true
}

export interface StartMessage {
  readonly type: 'start'
  readonly dir: string
  readonly options: DevOptions
  readonly width: number
}

export type FromRun =
  | { readonly type: 'records'; readonly lines: string }
  | { readonly type: 'published'; readonly topics: readonly string[] }
  | { readonly type: 'nothing_new'; readonly checkpoint: unknown }
  | { readonly type: 'stopping' }
  | { readonly type: 'over'; readonly outcome: RunOutcome }

export type RunOutcome =
  | { readonly kind: 'ended' | 'stopped' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly exitCode: ExitCode }
