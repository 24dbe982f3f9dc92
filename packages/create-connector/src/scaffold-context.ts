/** What the command is handed by the program that it is part of. */
export interface ScaffoldContext {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Whether there is a person to be asked. */
  readonly hasTerminal: boolean
  /** Writes a result, to standard output. */
  write(text: string): Promise<void>
  /** Tells a person something that is no result, on standard error. */
  note(text: string): void
  /** From the first call on, a signal aborts what is returned instead of ending the process. */
  shutdownSignal(): AbortSignal
}
