import { expect, test } from 'vitest'
import { createHistory, type History } from './history.ts'

const add = (history: History, unit: number) =>
  history.add({ unit, previous: unit === 0 ? null : unit - 1, position: unit, json: `${unit}`, nextSeq: {} })

const withUnits = (count: number): History => {
  const history = createHistory([])
  for (let unit = 0; unit < count; unit++) add(history, unit)
  return history
}

test('positions are newest first at any time', () => {
  const history = withUnits(3)
  expect(history.positions()).toEqual([2, 1, 0])
  add(history, 3)
  add(history, 4)
  expect(history.positions()).toEqual([4, 3, 2, 1, 0])
})

test('a returned list of positions does not change', () => {
  const history = withUnits(3)
  const before = history.positions()
  add(history, 3)
  history.positions()
  history.forgetBefore(2)
  expect(before).toEqual([2, 1, 0])
  expect(history.positions()).toEqual([3, 2])
})

test('reverted units are removed, even if the same number of units follows', () => {
  const history = withUnits(5)
  history.positions()
  expect(history.forgetAfter(2)).toBe(2)
  add(history, 7)
  add(history, 8)
  expect(history.positions()).toEqual([8, 7, 2, 1, 0])
  expect(history.forgetAfter(null)).toBe(5)
  expect(history.positions()).toEqual([])
})

test('only the newest 8,192 units are kept', () => {
  const history = withUnits(8000)
  history.positions()
  for (let unit = 8000; unit < 20_000; unit++) add(history, unit)
  const positions = history.positions()
  expect(positions).toHaveLength(8192)
  expect(positions[0]).toBe(19_999)
  expect(positions.at(-1)).toBe(11_808)
})

test('positions are current after many units were added and removed since the last call', () => {
  const history = withUnits(3)
  history.positions()
  for (let unit = 3; unit < 40; unit++) {
    add(history, unit)
    history.forgetBefore(unit - 5)
  }
  expect(history.positions()).toEqual([39, 38, 37, 36, 35, 34])
  add(history, 40)
  history.forgetBefore(38)
  expect(history.positions()).toEqual([40, 39, 38])
})
