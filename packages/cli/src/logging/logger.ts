import { type Logger, pino } from 'pino'
import { createPaint } from './paint.ts'
import { serializeError } from './serialize-error.ts'
import { createStatusLine, type LogStream, type StatusLine } from './status-line.ts'
import { createTerminalLog } from './terminal-log.ts'

export interface Logging {
  readonly log: Logger
  /** Whether people read it, as lines; otherwise programs do, as JSON lines. */
  readonly isForPeople: boolean
  /** Takes a JSON line that another process has logged. */
  relay(line: string): void
  /** Shows what is going on, on a terminal only. */
  readonly status: StatusLine | undefined
}

export interface LoggingOptions {
  /** Lines for people also where there is no terminal. */
  readonly plain?: boolean
}

/** Logs to standard error: lines for people on a terminal, JSON lines elsewhere. */
export function createLogging(stream: LogStream, { plain = false }: LoggingOptions = {}): Logging {
  const status = stream.isTTY ? createStatusLine(stream) : undefined
  const lines = status ?? { print: (line: string) => stream.write(`${line}\n`) }
  const isForPeople = status !== undefined || plain
  const programs = stream.fd === undefined ? stream : pino.destination({ fd: stream.fd, sync: true })
  const destination = isForPeople ? createTerminalLog(lines, createPaint(stream)) : programs
  return {
    log: pino({ base: null, serializers: { err: serializeError } }, destination),
    isForPeople,
    relay: (line) => destination.write(`${line}\n`),
    status,
  }
}
