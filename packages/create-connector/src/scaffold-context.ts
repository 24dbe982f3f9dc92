import type { Clone } from './local-packages/local-package.ts'

export interface ScaffoldContext {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** For questions; `undefined` without a terminal. */
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
