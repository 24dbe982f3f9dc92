/** The messages of the input, by name. */
export interface Input {
  Rate: Rate
}

/** A value as readers of the topic get it: `connector types TOPIC` prints its type. */
export interface Rate {
  ts: string
  base: string
  currency: string
  value: number
}
