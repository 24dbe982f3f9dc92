import type { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { stripVTControlCharacters, styleText } from 'node:util'
import { errorReason } from '@headrace/queue'
import { type Logger, pino, type SerializedError } from 'pino'
import { createGroupedLines } from './grouped-lines.ts'

export interface Logging {
  readonly log: Logger
  /** Whether entries are text for people. Otherwise they are JSON lines for programs. */
  readonly isForPeople: boolean
  /** Writes a JSON line that another process has logged. */
  relay(line: string): void
  /** The status line of a terminal. Undefined if the output is not a terminal. */
  readonly status: StatusLine | undefined
  /** Adds fields to every later entry. */
  addFields(fields: () => object): void
}

export interface LoggingOptions {
  readonly plain?: boolean
}

export function createLogging(stream: LogStream, { plain = false }: LoggingOptions = {}): Logging {
  const status = stream.isTTY ? createStatusLine(stream) : undefined
  const lines = status ?? { print: (line: string) => stream.write(`${line}\n`) }
  const isForPeople = status !== undefined || plain
  const programs =
    stream.fd === undefined ? stream : createGroupedLines(pino.destination({ fd: stream.fd, sync: true }))
  const paint = createPaint(stream)
  const people = { write: (line: string) => lines.print(formatLogLine(line, paint)) }
  const destination = isForPeople ? people : programs
  let added = (): object => ({})
  return {
    log: pino({ base: null, serializers: { err: serializeError }, mixin: () => added() }, destination),
    isForPeople,
    relay: (line) => destination.write(`${line}\n`),
    status,
    addFields(fields) {
      added = fields
    },
  }
}

/** Adds the reason of a network error to its message. */
export function serializeError(error: Error): SerializedError {
  return { ...pino.stdSerializers.err(error), message: errorReason(error) }
}

/** Formats a JSON line of pino as `10:00:01 warn message name=value …`. */
export function formatLogLine(line: string, paint: Paint): string {
  const { level, time, msg, err, retryInMs, givesUpInMs, ...fields } = JSON.parse(line) as LogLine
  const clock = new Date(time).toTimeString().slice(0, 8)
  const details = { ...fields, ...(err && { error: err.message }) }
  const texts = Object.entries(details).map(([name, value]) => `${name}=${formatValue(value)}`)
  const next = retryInMs !== undefined && givesUpInMs !== undefined && describeRetry(retryInMs, givesUpInMs)
  const name = pino.levels.labels[level] ?? String(level)
  const style = styleOf(level)
  return [paint('dim', clock), style ? paint(style, name) : name, msg, ...texts, ...(next ? [next] : [])].join(' ')
}

interface LogLine {
  level: number
  time: number
  msg: string
  err?: { message: string }
  retryInMs?: number
  givesUpInMs?: number
  [field: string]: unknown
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

/** Rounded up to seconds: `4 s`, `4 min 20 s`, `2 h 5 min`. */
function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return join(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  return join(Math.floor(seconds / 3600), 'h', Math.floor((seconds % 3600) / 60), 'min')
}

function join(whole: number, unit: string, part: number, partUnit: string): string {
  return part === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${part} ${partUnit}`
}

export type Style = 'dim' | 'yellow' | 'red' | 'bold'

export type Paint = (style: Style, text: string) => string

/** Colours on a terminal only, subject to `NO_COLOR`, `NODE_DISABLE_COLORS` and `FORCE_COLOR`. */
export function createPaint(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream, validateStream: true })
}

/** Standard error, or a stream without a file descriptor in tests. */
export type LogStream = Writable & Partial<Pick<WriteStream, 'isTTY' | 'columns'>> & { readonly fd?: number }

export interface StatusLine {
  show(text: string): void
  clear(): void
  print(line: string): void
}

export function createStatusLine(stream: LogStream): StatusLine {
  const eraseLine = '\r\u001b[K'
  let shown = ''
  return {
    show(text) {
      shown = stripVTControlCharacters(text).slice(0, (stream.columns ?? 80) - 1)
      stream.write(eraseLine + shown)
    },
    clear() {
      if (shown) stream.write(eraseLine)
      shown = ''
    },
    print(line) {
      stream.write(shown ? `${eraseLine}${line}\n${shown}` : `${line}\n`)
    },
  }
}
