import { UserError } from '@headrace/queue'
import { type Cursor, decodeCursor } from './cursor.ts'

/** As a reader may request it. */
export type Position =
  | { readonly kind: 'cursor'; readonly cursor: Cursor }
  | { readonly kind: 'earliest' }
  | { readonly kind: 'latest' }
  /** After the last record that can no longer be reverted. */
  | { readonly kind: 'final' }
  /** Before the first record with this time (ms since the Unix epoch) or a later one. */
  | { readonly kind: 'time'; readonly time: number }
  /** Before the last `count` records. */
  | { readonly kind: 'last'; readonly count: number }

const lastLimit = 10_000

/**
 * @param now - Ms since the Unix epoch, for relative times.
 * @throws {UserError} `invalid_position`, or `invalid_cursor` for a text that begins like a cursor.
 */
export function parsePosition(text: string, now: number = Date.now()): Position {
  if (text === 'earliest' || text === 'latest' || text === 'final') return { kind: text }
  if (text.startsWith('last:')) return { kind: 'last', count: parseCount(text) }
  if (/^-\d/.test(text)) return { kind: 'time', time: Math.max(0, now - parseAgo(text)) }
  const time = parseTime(text)
  if (time !== undefined) return { kind: 'time', time: Math.max(0, time) }
  if (!beginsLikeCursor.test(text)) throw invalid(text)
  return { kind: 'cursor', cursor: decodeCursor(text) }
}

function parseCount(text: string): number {
  const count = /^last:[1-9]\d{0,4}$/.test(text) ? Number(text.slice(5)) : 0
  if (count < 1 || count > lastLimit) throw invalid(text)
  return count
}

function parseAgo(text: string): number {
  const match = /^-(\d{1,9})([smhd])$/.exec(text)
  if (!match) throw invalid(text)
  const unit = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] as 's' | 'm' | 'h' | 'd']
  return Number(match[1]) * unit
}

function invalid(text: string): UserError {
  const found = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return new UserError(
    'invalid_position',
    `${JSON.stringify(found)} is not a position. Allowed are "earliest", "latest", "final", an RFC 3339 time such as ` +
      `"2026-08-21T10:00:00Z", a time ago such as "-10m" (s, m, h or d), "last:N" (N from 1 to ${lastLimit}) and a cursor.`,
  )
}

/** A first byte of 1 or 2 in base64url. */
const beginsLikeCursor = /^A[Q-Za-v]/

/** Ms since the Unix epoch, from RFC 3339. */
function parseTime(text: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/.exec(text)
  if (!match) return undefined
  const [, date, clock, fraction = '', zone] = match
  const local = `${date}T${clock}.${fraction.slice(0, 3).padEnd(3, '0')}`
  const utc = Date.parse(`${local}Z`)
  // `Date` accepts 30 February and 24:00:00 as other times.
  if (Number.isNaN(utc) || new Date(utc).toISOString() !== `${local}Z`) return undefined
  const time = Date.parse(local + zone!.toUpperCase())
  return Number.isNaN(time) ? undefined : time
}
