import { type Position, parsePosition } from '@headrace/catalog'
import { UserError } from '@headrace/queue'
import { InvalidArgumentError } from 'commander'

/** Reads a whole number between two bounds, both allowed. */
export function integerOption(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) {
      const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`
      throw new InvalidArgumentError(`It must be a whole number ${range}.`)
    }
    return value
  }
}

export function positionOption(text: string): Position {
  try {
    return parsePosition(text)
  } catch (error) {
    throw error instanceof UserError ? new InvalidArgumentError(error.message) : error
  }
}

/** Reads a cursor, and no other position. */
export function cursorOption(text: string): Position {
  try {
    const position = parsePosition(text)
    if (position.kind === 'cursor') return position
  } catch (error) {
    if (!(error instanceof UserError)) throw error
  }
  throw new InvalidArgumentError('It must be a cursor as a record has it. Other positions go with --from and --to.')
}

/** Reads an RFC 3339 time, or a time from now on such as `90d`. */
export function futureOption(text: string): Date {
  const period = /^(\d{1,6})([smhd])$/.exec(text)
  const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
  const date = period
    ? new Date(Date.now() + Number(period[1]) * unitMs[period[2] as keyof typeof unitMs])
    : new Date(/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : Number.NaN)
  if (!(date.getTime() > Date.now()))
    throw new InvalidArgumentError('It must be a time to come: "2027-01-31T00:00:00Z", or from now on: "90d", "12h".')
  return date
}

export function jsonOption(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError(`It must be JSON, such as '{"page":7}'.`)
  }
}

/** Collects the values of an option that may be given several times. */
export function repeatedOption(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value]
}
