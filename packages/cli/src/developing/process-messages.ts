import type { ExitCode } from '../exit-code.ts'
import type { KeptAnswer } from './answers/kept-answer.ts'
import type { DevOptions } from './dev-options.ts'

/** What the process that watches tells the one that runs the connector. */
export type ToRun =
  /** The first message. */
  StartMessage | { readonly type: 'recalled'; readonly request: number; readonly answer: KeptAnswer | undefined }

export interface StartMessage {
  readonly type: 'start'
  readonly dir: string
  readonly options: DevOptions
  /** Characters to a line, at most. */
  readonly width: number
  /** Keys of the answers that are kept; `undefined`: none is to be kept. */
  readonly known: readonly string[] | undefined
}

/** What the process that runs the connector tells the one that watches. */
export type FromRun =
  /** Whole lines for standard output. */
  | { readonly type: 'records'; readonly lines: string }
  | { readonly type: 'recall'; readonly request: number; readonly key: string }
  | { readonly type: 'keep'; readonly key: string; readonly answer: KeptAnswer }
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
