/** Which units are compared with the source: none, all, or so many by chance, beside the first and the last. */
export type UnitChoice = 'none' | 'all' | { readonly sample: number }

/** Numbers of units, both ends included. */
export interface UnitRange {
  readonly first: number
  readonly last: number
}

/** Says of units, one after the other, whether they are among the chosen ones. */
export type ChooseUnit = (unit: number, isLast: boolean) => boolean

/** Chooses among the units of a range. For one that does not stand any more the next one is taken. */
export function createChoice(choice: UnitChoice, { first, last }: UnitRange): ChooseUnit {
  if (choice === 'none') return () => false
  if (choice === 'all') return () => true
  const chosen = chooseNumbers(choice.sample, first, last)
  let isFirst = true
  let at = 0
  return (unit, isLast) => {
    const isEnd = isFirst || isLast
    isFirst = false
    if (at === chosen.length || chosen[at]! > unit) return isEnd
    at++
    return true
  }
}

/** `count` different numbers from `first` to `last`, in order, by Floyd's algorithm. */
function chooseNumbers(count: number, first: number, last: number): number[] {
  const chosen = new Set<number>()
  for (let top = Math.max(first, last - count + 1); top <= last; top++) {
    const number = first + Math.floor(Math.random() * (top - first + 1))
    chosen.add(chosen.has(number) ? top : number)
  }
  return [...chosen].sort((one, other) => one - other)
}
