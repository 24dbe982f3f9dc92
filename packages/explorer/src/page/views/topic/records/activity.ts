/**
 * Records that have arrived in each of the last 60 whole seconds, and later of up to 300. The oldest
 * first. `null` before the first one.
 */
export interface Activity {
  /** Unix time. */
  readonly seconds: readonly number[]
  readonly appended: readonly (number | null)[]
  readonly reverted: readonly (number | null)[]
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
      const length = Math.min(places - 1, Math.max(60, Math.ceil((current - first) / 60) * 60))
      const seconds = Array.from({ length }, (_, index) => current - length + index)
      const valuesOf = (counts: Float64Array) =>
        seconds.map((second) => (second < first ? null : counts[second % places]!))
      cached = { seconds, appended: valuesOf(appended), reverted: valuesOf(reverted) }
      return cached
    },
  }
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000)
}
