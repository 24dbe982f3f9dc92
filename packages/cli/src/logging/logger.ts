import type { WriteStream } from 'node:tty'
import { type Logger, pino } from 'pino'
import { createStatusLine, type StatusLine } from './status-line.ts'
import { createTerminalLog } from './terminal-log.ts'

export interface Logging {
  readonly log: Logger
  /** Shows what is going on, on a terminal only. */
  readonly status: StatusLine | undefined
}

/** Logs to standard error: lines for people on a terminal, JSON lines elsewhere. */
export function createLogging(stream: WriteStream): Logging {
  if (!stream.isTTY) return { log: pino({ base: null }, pino.destination({ fd: 2, sync: true })), status: undefined }
  const status = createStatusLine(stream)
  return { log: pino({ base: null }, createTerminalLog(status)), status }
}
