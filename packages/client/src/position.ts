/**
 * A place in a topic: a cursor, `earliest`, `latest`, `final` (after what will not be taken back any more), an RFC 3339
 * time, a time ago such as `-10m` (s, m, h, d), or `last:100` (as a start only).
 */
export type Position = string

/** A position for each topic. */
export type Positions<Topic extends string> = { readonly [Name in Topic]?: Position | null | undefined }

/** Whether a position is the place of a reader, and not one that everybody can name. */
export function isCursor(position: Position): boolean {
  return /^A[Q-Za-v]/.test(position)
}

/** Whether it is the place of a reader of what is true now: up to the head that it names, records are left out. */
export function isCanonicalCursor(position: Position): boolean {
  return /^A[g-v]/.test(position)
}

/** Whether a position may be another place a moment later: a time may be in the future. */
export function isMoving(position: Position): boolean {
  return position !== 'earliest' && !isCursor(position)
}
