import { expect, test } from 'vitest'
import { AdaptiveLimit, type LoadSign } from './adaptive-limit.ts'

let time = 0
const now = () => time

/** Runs as many requests as the limit allows, ends some, the oldest first, and returns the new limit. */
function answers(limit: AdaptiveLimit, count: number, sign: LoadSign, ms = 10): number {
  const running: ((sign: LoadSign) => void)[] = []
  for (let ended = 0; ended < count; ended++) {
    while (limit.running < limit.limit) running.push(limit.begin())
    time += ms / limit.limit
    running.shift()!(sign)
  }
  for (const end of running) end('neutral')
  return limit.limit
}

test('the limit grows with every answer up to its maximum', () => {
  const limit = new AdaptiveLimit({ first: 2, most: 20, now })
  expect(answers(limit, 5, 'good')).toBe(7)
  expect(answers(limit, 50, 'good')).toBe(20)
})

test('the limit halves once for all requests of an overload, and then grows by one a round', () => {
  const limit = new AdaptiveLimit({ first: 16, now })
  expect(answers(limit, 16, 'overloaded')).toBe(8)
  expect(answers(limit, 8, 'good')).toBe(8)
  expect(answers(limit, 2, 'good')).toBe(9)
  expect(answers(limit, 1, 'overloaded')).toBe(4)
})

test('the limit is at least one, and neutral ends do not change it', () => {
  const limit = new AdaptiveLimit({ first: 2, now })
  expect(answers(limit, 5, 'overloaded')).toBe(1)
  expect(answers(limit, 5, 'neutral')).toBe(1)
  expect(limit.running).toBe(0)
})

test('the limit does not grow while it is not reached', () => {
  const limit = new AdaptiveLimit({ first: 4, now })
  for (let times = 0; times < 20; times++) limit.begin()('good')
  expect(limit.limit).toBe(4)
})

test('the limit does not grow while latency is far above the lowest', () => {
  const limit = new AdaptiveLimit({ first: 4, most: 1000, now })
  answers(limit, 4, 'good', 50)
  const before = limit.limit
  expect(answers(limit, 40, 'good', 5000) - before).toBeLessThan(5)
  expect(limit.latencyMs).toBeGreaterThan(300)
})
