/** Something about a queue that is not as it should be, or that could not be looked at. */
export interface Finding {
  /** `error`: data cannot be trusted, or nothing can be read or written. `warning`: it works, and may not for ever. */
  readonly severity: 'error' | 'warning'
  /** Stable, in snake_case. */
  readonly code: string
  /** Where it is: a file, a topic, a broker. */
  readonly place: string
  readonly message: string
  /** What to do. */
  readonly remedy: string
  /** Whether it was mended while it was looked at. */
  readonly repaired: boolean
  /** Whether `diagnoseQueue` with `repair` can fix it. */
  readonly repairable?: boolean
  /** Of `lost_records`: the offsets. */
  readonly lost?: LostOffsets
}

/** A range of offsets whose records are lost, both ends included. Offsets are decimal. */
export interface LostOffsets {
  readonly topic: string
  readonly partition: number
  readonly first: string
  /** Missing where it is not known at which offset the partition ended. */
  readonly last?: string
}
