import type { Environment } from './environment.ts'
import type { ExitCode } from './exit-code.ts'
import type { Logging, LoggingOptions } from './logging/logger.ts'
import type { Output } from './output/output.ts'

/** What every command is handed. */
export interface CommandContext {
  readonly environment: Environment
  /** Standard output. */
  readonly output: Output
  /** Tells a person something that is no result: on standard error, as plain text. */
  note(text: string): void
  /** Tells of something odd: in the log where there is one, else as `note`. */
  warn(text: string): void
  /** Tells of something that explains what follows: in the log where there is one, else as `note`. */
  inform(text: string): void
  /** Gives a person a command to copy, on a line of its own. In a log of JSON lines it follows the heading. */
  suggest(heading: string, command: string): void
  /** Shows help that was asked for, on standard output. */
  showHelp(text: string): void
  /** Shows how the command is used, in the words of its parser. Left out where standard error is JSON lines. */
  showUsage(text: string): void
  /** Asks a person on a terminal; `undefined` where there is none. */
  readonly ask: ((question: string) => Promise<string>) | undefined
  /** For commands that run until they are stopped: from the first call on, errors are logged too. */
  startLogging(options?: LoggingOptions): Logging
  /** From the first call on, a signal aborts what is returned instead of ending the process. */
  shutdownSignal(): AbortSignal
  /** Ends the command with this code once it is done: for a result that is bad news, not a failure. */
  exitWith(code: ExitCode): void
}
