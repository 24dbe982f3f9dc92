/** Records that have arrived, by second of the reader's clock: of at most the last five minutes, the oldest first. */
export interface Activity {
  readonly seconds: readonly number[]
  readonly appended: readonly number[]
  readonly reverted: readonly number[]
}

export interface ActivityMeter {
  count(record: { readonly op: string }): void
  /** Up to the second before `now`, in ms. */
  read(now: number): Activity
}

const places = 300

export function createActivityMeter(start: number): ActivityMeter {
  const appended = new Float64Array(places)
  const reverted = new Float64Array(places)
  const first = secondOf(start)
  let current = first
  let cached: Activity | undefined
  const advance = (to: number) => {
    if (to > current) cached = undefined
    for (let second = Math.max(current + 1, to - places + 1); second <= to; second++) {
      appended[second % places] = 0
      reverted[second % places] = 0
    }
    current = Math.max(current, to)
  }
  return {
    count({ op }) {
      advance(secondOf(Date.now()))
      const counts = op === 'revert' ? reverted : appended
      counts[current % places]!++
    },
    read(now) {
      advance(secondOf(now))
      if (cached) return cached
      const from = Math.max(first, current - places + 1)
      const seconds = Array.from({ length: current - from }, (_, index) => from + index)
      const valuesOf = (counts: Float64Array) => seconds.map((second) => counts[second % places]!)
      cached = { seconds, appended: valuesOf(appended), reverted: valuesOf(reverted) }
      return cached
    },
  }
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000)
}
