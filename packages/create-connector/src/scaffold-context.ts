import type { Clone } from './local-packages/local-package.ts'

/** What the command is handed by the program that it is part of. */
export interface ScaffoldContext {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Where a person can be asked; left out where there is none. */
  readonly terminal?: Terminal | undefined
  /** Where the project takes its packages from; left out: the registry. */
  readonly clone?: Clone | undefined
  /** Writes a result, to standard output. */
  write(text: string): Promise<void>
  /** Tells a person a line that is no result, on standard error. */
  note(line: string): void
  /** From the first call on, a signal aborts what is returned instead of ending the process. */
  shutdownSignal(): AbortSignal
}

export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}
