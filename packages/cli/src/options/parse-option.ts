import { type Position, parsePosition } from '@headrace/catalog'
import { UserError } from '@headrace/queue'
import { InvalidArgumentError } from 'commander'

export function integerOption(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) {
      const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
      throw new InvalidArgumentError(`It must be a whole number ${range}.`)
    }
    return value
  }
}

export const portOption: (text: string) => number = integerOption(0, 65_535)

export function positionOption(text: string): Position {
  try {
    return parsePosition(text)
  } catch (error) {
    throw error instanceof UserError ? new InvalidArgumentError(error.message) : error
  }
}

/** An RFC 3339 time, or a time ago such as `-24h`, as ms since the Unix epoch. */
export function timeOption(text: string): number {
  const position = positionOption(text)
  if (position.kind === 'time') return position.time
  throw new InvalidArgumentError('It must be a time: "2027-01-31T00:00:00Z", or a time ago: "-7d", "-12h".')
}

/** The value of an option that means "none". Commander replaces `null`. */
export const none: unique symbol = Symbol('none')

export function noneOption<Value>(word: string, parse: (text: string) => Value): (text: string) => Value | typeof none {
  return (text) => (text === word ? none : parse(text))
}

/** A period such as `90d`, as ms. */
export function periodOption(text: string): number {
  const period = periodOf(text)
  if (period === undefined) throw new InvalidArgumentError('It must be a period: "90d", "12h", "30m", "0s".')
  return period
}

export function cursorOption(text: string): Position {
  try {
    const position = parsePosition(text)
    if (position.kind === 'cursor') return position
  } catch (error) {
    if (!(error instanceof UserError)) throw error
  }
  throw new InvalidArgumentError('It must be the cursor of a record. Give other positions with --from and --to.')
}

export function futureOption(text: string): Date {
  const period = periodOf(text)
  const date =
    period !== undefined
      ? new Date(Date.now() + period)
      : new Date(/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : Number.NaN)
  if (!(date.getTime() > Date.now()))
    throw new InvalidArgumentError(
      'It must be a time in the future: "2027-01-31T00:00:00Z", or a period from now: "90d", "12h".',
    )
  return date
}

function periodOf(text: string): number | undefined {
  const period = /^(\d{1,6})([smhd])$/.exec(text)
  const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
  return period ? Number(period[1]) * unitMs[period[2] as keyof typeof unitMs] : undefined
}

export function jsonOption(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError(`It must be JSON, such as '{"page":7}'.`)
  }
}

export function settingOption(text: string, previous: readonly string[] = []): readonly string[] {
  // The message must not repeat the text, which may be a secret.
  if (!/^[^=]+=/.test(text)) throw new InvalidArgumentError('It must be NAME=VALUE, such as "poll=5".')
  return [...previous, text]
}

export function instanceOption(text: string): string {
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(text))
    throw new InvalidArgumentError('It must be 1 to 100 letters, digits, ".", "_" and "-".')
  return text
}

/** The address of a gateway. */
export function gatewayOption(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '') return text
  throw new InvalidArgumentError('It must be the address of a gateway, such as "http://127.0.0.1:8080", without a key.')
}
