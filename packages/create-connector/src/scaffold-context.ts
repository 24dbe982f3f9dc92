import type { Clone } from './local-packages/local-package.ts'
import type { ContractAnswers } from './project/answers.ts'

export interface ScaffoldContext {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly terminal?: Terminal | undefined
  /** Source of the project's packages; `undefined`: the registry. */
  readonly clone?: Clone | undefined
  write(text: string): Promise<void>
  note(line: string): void
  /** From the first call on, SIGINT, SIGTERM and SIGHUP abort the signal instead of ending the process. */
  shutdownSignal(): AbortSignal
}

export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

export interface ScaffoldOptions extends ContractAnswers {
  readonly template?: string
  readonly name?: string
  readonly owner?: string
  readonly packageManager?: string
  /** `false` with `--no-install`. */
  readonly install: boolean
  readonly yes?: true
  readonly json?: true
}
