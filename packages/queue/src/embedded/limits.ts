const mebibyte = 1024 * 1024

/** What the embedded engine takes, in bytes. */
export const embeddedLimits = {
  /** A larger record is refused. */
  record: 16 * mebibyte,
  /** A batch that has reached this size is followed by another, so that a cold random read stays cheap. */
  batch: 256 * 1024,
  /** What a transaction holds in memory; more of it waits in a spool file. */
  buffer: 64 * mebibyte,
} as const
