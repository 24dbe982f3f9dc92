/** A sample is random, with the first and the last unit. */
export type UnitChoice = 'none' | 'all' | { readonly sample: number }

/** Inclusive. */
export interface UnitRange {
  readonly first: number
  readonly last: number
}

export type ChooseUnit = (unit: number, isLast: boolean) => boolean

/** Chooses the first and last unit, and a sample. For a number without a canonical unit, the next is chosen. */
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

/** Chooses different random numbers, by Floyd's algorithm. Returns them in order. */
function chooseNumbers(count: number, first: number, last: number): number[] {
  const chosen = new Set<number>()
  for (let top = Math.max(first, last - count + 1); top <= last; top++) {
    const number = first + Math.floor(Math.random() * (top - first + 1))
    chosen.add(chosen.has(number) ? top : number)
  }
  return [...chosen].sort((one, other) => one - other)
}
