/** A problem, or something that could not be checked. */
export interface Finding {
  /** `error`: data is damaged, or the queue cannot be used. `warning`: it may fail later. */
  readonly severity: 'error' | 'warning'
  readonly code: string
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
