/** Or something that could not be checked. */
export interface Finding {
  /** `error`: data is damaged, or the queue cannot be used. `warning`: it may fail later. */
  readonly severity: 'error' | 'warning'
  /** Stable, in snake_case. */
  readonly code: string
  /** A file, a topic, a broker. */
  readonly place: string
  readonly message: string
  readonly remedy: string
  readonly repaired: boolean
  readonly repairable?: boolean
  /** Only for `lost_records`. */
  readonly lost?: LostOffsets
}

/** `first` and `last` are included. Offsets are decimal. */
export interface LostOffsets {
  readonly topic: string
  readonly partition: number
  readonly first: string
  /** Missing if the end of the partition is not known. */
  readonly last?: string
}
