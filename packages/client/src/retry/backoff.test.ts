import { expect, test } from 'vitest'
import { backoffMs } from './backoff.ts'

test('waits are random below a bound that doubles, up to half a minute', () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((attempt) => backoffMs(attempt, () => 1))
  expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  expect(backoffMs(5, () => 0)).toBe(0)
  expect(backoffMs(5, () => 0.25)).toBe(2000)
})
