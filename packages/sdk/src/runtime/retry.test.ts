import { expect, test } from 'vitest'
import { createRetry } from './retry.ts'

const never = new AbortController().signal

test('pauses double up to the longest one until the budget would be over, and begin anew after a success', async () => {
  const pauses: number[] = []
  const now = () => pauses.reduce((total, ms) => total + ms, 0)
  const clock = {
    startStopwatch() {
      const startedAt = now()
      return {
        get elapsedMs() {
          return now() - startedAt
        },
        [Symbol.dispose]() {},
      }
    },
    pause: async (ms: number) => pauses.push(ms),
  }
  const retry = createRetry({ firstMs: 1, maxMs: 4, budgetMs: 16 }, never, clock)
  while (await retry.wait());
  expect(pauses).toEqual([1, 2, 4, 4, 4])
  expect(await retry.wait()).toBe(false)
  retry.reset()
  expect(await retry.wait()).toBe(true)
  expect(pauses.at(-1)).toBe(1)
})

test('an abort ends a pause', async () => {
  const controller = new AbortController()
  const retry = createRetry({ firstMs: 60_000, budgetMs: 120_000 }, controller.signal)
  const waiting = retry.wait()
  controller.abort()
  expect(await waiting).toBe(true)
})
