/** A problem of a queue, or something that could not be checked. */
export interface Finding {
  /** `error`: data is damaged, or the queue cannot be used. `warning`: it works now, but may fail later. */
  readonly severity: 'error' | 'warning'
  /** Stable, in snake_case. */
  readonly code: string
  /** Where it is: a file, a topic, a broker. */
  readonly place: string
  readonly message: string
  /** What to do. */
  readonly remedy: string
  /** Whether this call has repaired it. */
  readonly repaired: boolean
  /** Whether `diagnoseQueue` with `repair` can fix it. */
  readonly repairable?: boolean
  /** Only for `lost_records`. */
  readonly lost?: LostOffsets
}

/** A range of offsets whose records are lost, `first` and `last` included. Offsets are decimal. */
export interface LostOffsets {
  readonly topic: string
  readonly partition: number
  readonly first: string
  /** Missing if the end of the partition is not known. */
  readonly last?: string
}
