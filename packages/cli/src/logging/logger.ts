import { errorReason } from '@headrace/queue'
import { type Logger, pino, type SerializedError } from 'pino'
import { createPaint, createStatusLine, createTerminalLog, type LogStream, type StatusLine } from './terminal-log.ts'

export interface Logging {
  readonly log: Logger
  /** Otherwise JSON lines for programs. */
  readonly isForPeople: boolean
  /** Writes a JSON line that another process has logged. */
  relay(line: string): void
  /** On a terminal only. */
  readonly status: StatusLine | undefined
}

export interface LoggingOptions {
  readonly plain?: boolean
}

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

/** Adds the reason of a network error to its message. */
export function serializeError(error: Error): SerializedError {
  return { ...pino.stdSerializers.err(error), message: errorReason(error) }
}
