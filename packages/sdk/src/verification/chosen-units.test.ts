import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChoice, type UnitChoice } from './chosen-units.ts'

const units = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

function chosenOf(choice: UnitChoice, canonical: readonly number[]): number[] {
  const choose = createChoice(choice, { first: canonical[0]!, last: canonical.at(-1)! })
  return canonical.filter((unit, at) => choose(unit, at === canonical.length - 1))
}

test("'all' chooses every unit, and 'none' chooses none", () => {
  expect(chosenOf('all', units(3, 9))).toEqual(units(3, 9))
  expect(chosenOf('none', units(3, 9))).toEqual([])
})

test('a sample has the given number of units in addition to the first and the last', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 1, max: 200 }),
      fc.nat(20),
      (first, length, sample) => {
        const all = units(first, first + length - 1)
        const chosen = chosenOf({ sample }, all)
        expect(chosen).toEqual(expect.arrayContaining([all[0], all.at(-1)]))
        expect(chosen.length).toBeGreaterThanOrEqual(Math.min(sample, length))
        expect(chosen.length).toBeLessThanOrEqual(Math.min(sample + 2, length))
      },
    ),
  )
})

test('a sample larger than the range is the whole range', () => {
  expect(chosenOf({ sample: 1000 }, units(1, 50))).toEqual(units(1, 50))
})

test('the next unit is chosen for a number without a canonical unit', () => {
  const canonical = units(1, 1000).filter((unit) => unit % 10 === 0)
  expect(chosenOf({ sample: 20 }, canonical).length).toBeGreaterThanOrEqual(18)
})

test('every unit can be chosen', () => {
  const found = new Set<number>()
  for (let times = 0; times < 400; times++) for (const unit of chosenOf({ sample: 2 }, units(1, 8))) found.add(unit)
  expect([...found].sort()).toEqual(units(1, 8))
})
