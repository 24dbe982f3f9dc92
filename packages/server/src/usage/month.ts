/** A calendar month of UTC, in ms since the Unix epoch. */
export interface Month {
  readonly start: number
  /** The start of the next one. */
  readonly end: number
}

export function monthOf(time: number): Month {
  const date = new Date(time)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) }
}
