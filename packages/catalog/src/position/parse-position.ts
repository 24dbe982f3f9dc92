import { UserError } from '@headrace/queue'
import type { Cursor } from './cursor.ts'
import { decodeCursor } from './decode-cursor.ts'
import { parseTime } from './parse-time.ts'

/** A reader's place in a topic, as it can be asked for. */
export type Position =
  | { readonly kind: 'cursor'; readonly cursor: Cursor }
  | { readonly kind: 'earliest' }
  | { readonly kind: 'latest' }
  /** After the last record that will not be taken back. */
  | { readonly kind: 'final' }
  /** Before the first record whose time (ms since the Unix epoch) is this or later. */
  | { readonly kind: 'time'; readonly time: number }
  /** Before the last `count` records. */
  | { readonly kind: 'last'; readonly count: number }

/** Records that `last:` reaches back at most. */
const lastLimit = 10_000

/**
 * Reads a position: `earliest`, `latest`, `final`, an RFC 3339 time, a time ago such as `-10m` (s, m, h, d), `last:100`
 * or a cursor.
 *
 * @param now - Ms since the Unix epoch, from which a time ago is counted. Default: the clock.
 * @throws {UserError} `invalid_position`, or `invalid_cursor` for what begins like a cursor.
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
    `${JSON.stringify(found)} is no position. Allowed are "earliest", "latest", "final", an RFC 3339 time such as ` +
      `"2026-08-21T10:00:00Z", a time ago such as "-10m" (s, m, h or d), "last:N" (N from 1 to ${lastLimit}) and a cursor.`,
  )
}

/** The form of a cursor, a byte that is 1 or 2, in base64url. */
const beginsLikeCursor = /^A[Q-Za-v]/
