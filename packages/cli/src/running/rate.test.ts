import { expect, test } from 'vitest'
import { createRate } from './rate.ts'

test('the rate is that of the last ten seconds', () => {
  const rate = createRate()
  expect(rate(0, 0)).toBe(0)
  expect(rate(1000, 50)).toBe(50)
  for (let second = 2; second <= 30; second++) rate(second * 1000, 50)
  expect(rate(31_000, 50)).toBe(0)
  expect(rate(32_000, 150)).toBe(10)
})
