/** What the embedded engine takes, in bytes. */
export const embeddedLimits = {
  /** A larger record is refused. */
  record: 16_777_216,
  /** A batch that has reached this size is followed by another, so that a cold random read stays cheap. */
  batch: 262_144,
  /** What a transaction holds in memory; more of it waits in a spool file. */
  buffer: 67_108_864,
} as const
