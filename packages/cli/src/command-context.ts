import type { Environment } from './environment.ts'
import type { ExitCode } from './exit-code.ts'
import type { Logging, LoggingOptions } from './logging/logger.ts'
import type { Output } from './output/output.ts'

export interface CommandContext {
  readonly environment: Environment
  readonly output: Output
  /** Writes a line for people to standard error. */
  note(text: string): void
  /** Reports a possible problem: in the log if there is one, else as `note`. */
  warn(text: string): void
  /** Reports a fact: in the log if there is one, else as `note`. */
  inform(text: string): void
  /** Shows a command to copy, on a line of its own. In a log of JSON lines it follows the heading. */
  suggest(heading: string, command: string): void
  showHelp(text: string): void
  /** Prints the usage text of the parser to standard error, unless that has JSON lines. */
  showUsage(text: string): void
  /** Asks a question on the terminal; `undefined` without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined
  /** For commands that run until they are stopped. From the first call on, errors are logged as well. */
  startLogging(options?: LoggingOptions): Logging
  /** From the first call on, SIGINT, SIGTERM and SIGHUP abort the returned signal instead of ending the process. */
  shutdownSignal(): AbortSignal
  /** Sets the exit code of a command that succeeds and has found a problem. */
  exitWith(code: ExitCode): void
}
