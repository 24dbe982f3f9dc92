/**
 * A cursor, `earliest`, `latest`, `final` (after the last unit that cannot be reverted), an RFC 3339 time, a time ago
 * such as `-10m` (s, m, h, d), or `last:100` (only as a start).
 */
export type Position = string

export type Positions<Topic extends string> = { readonly [Name in Topic]?: Position | null | undefined }

export function isCursor(position: Position): boolean {
  return /^A[Q-Za-v]/.test(position)
}

/** Whether a cursor belongs to the `canonical` view. It then contains the head of the view. */
export function isCanonicalCursor(position: Position): boolean {
  return /^A[g-v]/.test(position)
}

/** Whether the position depends on when it is resolved. A time does, because it may be in the future. */
export function isMoving(position: Position): boolean {
  return position !== 'earliest' && !isCursor(position)
}
