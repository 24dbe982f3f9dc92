import type { DestinationStream } from 'pino'
import type { StatusLine } from './status-line.ts'

/** Turns pino's JSON lines into `10:00:01 warn message name=value …`. */
export function createTerminalLog(lines: Pick<StatusLine, 'print'>): DestinationStream {
  return { write: (line) => lines.print(formatLogLine(line)) }
}

export function formatLogLine(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as LogLine
  const clock = new Date(time).toTimeString().slice(0, 8)
  const details = { ...fields, ...(err && { error: err.message }) }
  const text = Object.entries(details).map(([name, value]) => `${name}=${formatValue(value)}`)
  return [clock, levelNames[level] ?? String(level), msg, ...text].join(' ')
}

interface LogLine {
  level: number
  time: number
  msg: string
  err?: { message: string }
  [field: string]: unknown
}

const levelNames: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

function formatValue(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return value
  return JSON.stringify(value)
}
