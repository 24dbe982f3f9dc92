/** How a count has grown, by the clock of this gateway. */
export interface Rate {
  /** Over the last minute, or since this gateway has measured it. Rounded to thousandths. */
  readonly perSecond: number
  /** Length of an interval. */
  readonly seconds: number
  /** Growth in each interval, oldest first. At most `mostIntervals`. */
  readonly counts: readonly number[]
}

export interface RateMeter {
  /**
   * Ends an interval. What was counted since the previous sample is spread over as many intervals as have passed.
   *
   * @param count - `undefined` if it is not known.
   * @param at - Monotonic, in ms.
   */
  sample(count: number | undefined, at: number): void
  /** With what was counted since the last sample. */
  rate(count: number | undefined, at: number): Rate
}

export const mostIntervals = 60
const perSecondMs = 60_000
/** A few records right after a start are no rate. */
const shortestMs = 1000

/** A count that decreases, because its topic was created again or truncated, is measured from there. */
export function createRateMeter(intervalMs: number): RateMeter {
  let last: { readonly count: number; readonly at: number } | undefined
  let counts: number[] = []
  const seconds = intervalMs / 1000
  return {
    sample(count, at) {
      if (count === undefined || (last && count < last.count)) reset()
      if (count === undefined || last?.at === at) return
      if (last) {
        const passed = Math.max(1, Math.round((at - last.at) / intervalMs))
        counts = [...counts, ...spread(count - last.count, passed)].slice(-mostIntervals)
      }
      last = { count, at }
    },
    rate(count, at) {
      if (!last || count === undefined || count < last.count) return { perSecond: 0, seconds, counts: [] }
      // The interval that has not ended takes the place of the oldest one.
      const recent = counts.slice(1 - Math.max(2, Math.round(perSecondMs / intervalMs)))
      const ms = recent.length * intervalMs + (at - last.at)
      const counted = recent.reduce((sum, one) => sum + one, count - last.count)
      return { perSecond: Math.round((counted * 1e6) / Math.max(ms, shortestMs)) / 1000, seconds, counts }
    },
  }

  function reset(): void {
    last = undefined
    counts = []
  }
}

/** Whole numbers whose sum is the count, of the newest `mostIntervals` intervals. */
function spread(count: number, intervals: number): number[] {
  const before = (interval: number) => Math.floor((count * interval) / intervals)
  const first = Math.max(0, intervals - mostIntervals)
  return Array.from({ length: intervals - first }, (_, at) => before(first + at + 1) - before(first + at))
}
