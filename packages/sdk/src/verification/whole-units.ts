import type { UnitRange } from './chosen-units.ts'

/** The units of which nothing is missing. Others are not verified further. */
export interface WholeUnits extends UnitRange {
  /** Inclusive. */
  exclude(first: number, last: number): void
  /** Whether all units from `first` to `last`, inclusive, are whole. */
  has(first: number, last: number): boolean
}

export function createWholeUnits(last: number): WholeUnits {
  const excluded: { first: number; last: number }[] = []

  /** The index of the first range that does not end before a unit. */
  function indexOf(unit: number): number {
    let [low, high] = [0, excluded.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (excluded[middle]!.last < unit) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    get first() {
      const [oldest] = excluded
      return oldest?.first === 1 ? oldest.last + 1 : 1
    },
    last,
    exclude(from, to) {
      const range = { first: Math.max(1, from), last: Math.min(to, last) }
      if (range.first > range.last) return
      const at = indexOf(range.first - 1)
      let end = at
      while (end < excluded.length && excluded[end]!.first <= range.last + 1) end++
      const met = excluded.slice(at, end)
      const first = Math.min(range.first, met[0]?.first ?? range.first)
      excluded.splice(at, met.length, { first, last: Math.max(range.last, met.at(-1)?.last ?? 0) })
    },
    has(first, to) {
      const range = excluded[indexOf(first)]
      return range === undefined || range.first > to
    },
  }
}
