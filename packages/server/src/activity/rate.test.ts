import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRateMeter, mostIntervals } from './rate.ts'

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

test('a rate is of the last minute, and includes what was counted since the last sample', () => {
  const meter = createRateMeter(10_000)
  expect(meter.rate(7, 0)).toEqual({ perSecond: 0, seconds: 10, counts: [] })
  for (let n = 0; n <= 20; n++) meter.sample(1000 + n * n, n * 10_000)
  expect(meter.rate(1400, 200_000).counts).toEqual(Array.from({ length: 20 }, (_, n) => 2 * n + 1))
  // Five intervals with 31, 33, 35, 37 and 39 records, and 5 s with 25: 200 in 55 s.
  expect(meter.rate(1425, 205_000)).toMatchObject({ perSecond: 3.636 })
})

test('a few records right after a start are no rate of thousands a second', () => {
  const meter = createRateMeter(10_000)
  meter.sample(0, 0)
  expect(meter.rate(10, 3)).toEqual({ perSecond: 10, seconds: 10, counts: [] })
})

test('a count that decreases or is not known is measured from there', () => {
  const meter = createRateMeter(10_000)
  meter.sample(100, 0)
  meter.sample(150, 10_000)
  expect(meter.rate(20, 12_000)).toEqual({ perSecond: 0, seconds: 10, counts: [] })
  meter.sample(20, 20_000)
  meter.sample(25, 30_000)
  expect(meter.rate(25, 30_000).counts).toEqual([5])
  meter.sample(undefined, 40_000)
  expect(meter.rate(undefined, 40_000).counts).toEqual([])
})

test('the intervals add up to what was counted, also if samples are late', () => {
  const samples = fc.array(fc.tuple(fc.nat(1000), fc.integer({ min: 1, max: 30_000 })), { maxLength: 20 })
  fc.assert(
    fc.property(samples, (growths) => {
      const meter = createRateMeter(10_000)
      let [count, at] = [5, 0]
      meter.sample(count, at)
      for (const [growth, ms] of growths) {
        count += growth
        at += ms
        meter.sample(count, at)
      }
      const { counts } = meter.rate(count, at)
      expect(sum(counts)).toBe(count - 5)
      expect(counts.length).toBeLessThanOrEqual(mostIntervals)
    }),
  )
  const meter = createRateMeter(10_000)
  meter.sample(0, 0)
  meter.sample(120_000, 1200_000)
  expect(meter.rate(120_000, 1200_000).counts).toEqual(Array(mostIntervals).fill(1000))
})
