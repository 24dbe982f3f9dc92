import type { DestinationStream } from 'pino'
import { formatDuration } from './duration.ts'
import type { Paint, Style } from './paint.ts'
import type { StatusLine } from './status-line.ts'

/** Formats pino's JSON lines as `10:00:01 warn message name=value …`. */
export function createTerminalLog(lines: Pick<StatusLine, 'print'>, paint: Paint): DestinationStream {
  return { write: (line) => lines.print(formatLogLine(line, paint)) }
}

export function formatLogLine(line: string, paint: Paint): string {
  const { level, time, msg, err, retryInMs, givesUpInMs, ...fields } = JSON.parse(line) as LogLine
  const clock = new Date(time).toTimeString().slice(0, 8)
  const details = { ...fields, ...(err && { error: err.message }) }
  const texts = Object.entries(details).map(([name, value]) => `${name}=${formatValue(value)}`)
  const next = retryInMs !== undefined && givesUpInMs !== undefined && describeRetry(retryInMs, givesUpInMs)
  const name = levelNames[level] ?? String(level)
  const style = styleOf(level)
  return [paint('dim', clock), style ? paint(style, name) : name, msg, ...texts, ...(next ? [next] : [])].join(' ')
}

interface LogLine {
  level: number
  time: number
  msg: string
  err?: { message: string }
  /** Time until the next attempt, and until the last one, in ms. */
  retryInMs?: number
  givesUpInMs?: number
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

function styleOf(level: number): Style | undefined {
  if (level >= 50) return 'red'
  return level >= 40 ? 'yellow' : undefined
}

function describeRetry(retryInMs: number, givesUpInMs: number): string {
  return `(next try in ${formatDuration(retryInMs)}, gives up in ${formatDuration(givesUpInMs)})`
}

function formatValue(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return value
  return JSON.stringify(value)
}
