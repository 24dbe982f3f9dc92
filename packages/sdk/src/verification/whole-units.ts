import type { UnitRange } from './chosen-units.ts'

/** The units of which nothing is missing. What is not whole is not looked at: its own finding says all there is to say. */
export interface WholeUnits extends UnitRange {
  /** A part of these units, both ends included, is missing or cannot be placed. */
  lose(first: number, last: number): void
  /** Whether all units from one to another are whole, both ends included. */
  has(first: number, last: number): boolean
}

/** @param last - Number of the last unit that is looked at. */
export function createWholeUnits(last: number): WholeUnits {
  /** None touch, and all are in order. */
  const lost: { first: number; last: number }[] = []

  /** Index of the first stretch that does not end before a unit, by bisection. */
  function indexOf(unit: number): number {
    let [low, high] = [0, lost.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (lost[middle]!.last < unit) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    get first() {
      const [oldest] = lost
      return oldest?.first === 1 ? oldest.last + 1 : 1
    },
    last,
    lose(from, to) {
      const stretch = { first: Math.max(1, from), last: Math.min(to, last) }
      if (stretch.first > stretch.last) return
      const at = indexOf(stretch.first - 1)
      let end = at
      while (end < lost.length && lost[end]!.first <= stretch.last + 1) end++
      const met = lost.slice(at, end)
      const first = Math.min(stretch.first, met[0]?.first ?? stretch.first)
      lost.splice(at, met.length, { first, last: Math.max(stretch.last, met.at(-1)?.last ?? 0) })
    },
    has(first, to) {
      const stretch = lost[indexOf(first)]
      return stretch === undefined || stretch.first > to
    },
  }
}
