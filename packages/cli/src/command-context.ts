import type { Readable, Writable } from 'node:stream'
import type { Environment } from './environment.ts'
import type { ExitCode } from './exit-code.ts'
import type { Logging, LoggingOptions } from './logging/logger.ts'
import type { Output } from './output/output.ts'

export interface CommandContext {
  readonly environment: Environment
  readonly output: Output
  /** For a protocol over standard input and output: nothing else may be written then. */
  readonly streams: { readonly input: Readable; readonly output: Writable }
  /** Whether the results are shown on a terminal. */
  readonly isTerminal: boolean
  note(text: string): void
  /** To the log if there is one, else as `note`. */
  warn(text: string): void
  inform(text: string): void
  /** Shows a command to copy, on a line of its own unless the log has JSON lines. */
  suggest(heading: string, command: string): void
  showHelp(text: string): void
  showUsage(text: string): void
  readonly ask: ((question: string) => Promise<string>) | undefined
  /** From the first call on, errors are logged as well. */
  startLogging(options?: LoggingOptions): Logging
  /**
   * Sends traces if the variables of OpenTelemetry ask for it, until the command has ended. Called after `startLogging`.
   *
   * @param service Its name, unless a variable sets it.
   */
  startTraces(service: string): Promise<void>
  /** From the first call on, SIGINT, SIGTERM and SIGHUP abort the signal instead of ending the process. */
  shutdownSignal(): AbortSignal
  exitWith(code: ExitCode): void
}
