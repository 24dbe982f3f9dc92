import { expect, test } from 'vitest'
import { createCallerTable } from './caller-table.ts'

interface Use {
  readonly id: string
  state: 'used' | 'unused' | 'open'
}

test('a table stays below its size, and forgets unused callers first, and open ones never', () => {
  const table = createCallerTable<Use>({
    make: ({ id }) => ({ id, state: 'used' }),
    isUnused: ({ state }) => state === 'unused',
    isOpen: ({ state }) => state === 'open',
    most: 2000,
  })
  const of = (n: number) => table.of({ by: 'ip', id: `${n}`, rate: 1, burst: 1, connections: 1 })
  for (let n = 0; n < 3; n++) of(n).state = 'open'
  const size = () => [...table.all()].length
  let largest = 0
  for (let n = 3; n < 20_000; n++) {
    of(n).state = n % 2 === 0 ? 'unused' : 'used'
    if (n % 500 === 0) largest = Math.max(largest, size())
  }
  expect(largest).toBeGreaterThan(1000)
  expect(largest).toBeLessThanOrEqual(2000)
  expect([0, 1, 2].map((n) => table.find(`${n}`)?.state)).toEqual(['open', 'open', 'open'])
  const last = of(19_999)
  expect(of(19_999)).toBe(last)
  expect(table.find('5')).toBeUndefined()
})
