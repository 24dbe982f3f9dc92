import { expect, test } from 'vitest'
import { createRetry } from './retry.ts'

const never = new AbortController().signal

/** A clock that moves only during pauses. */
function createClock() {
  const pauses: number[] = []
  const now = () => pauses.reduce((total, ms) => total + ms, 0)
  return {
    pauses,
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
}

test('pauses double up to the longest one until the budget is spent, and start again after a success', async () => {
  const clock = createClock()
  const retry = createRetry({ firstMs: 1, maxMs: 4, budgetMs: 16 }, never, clock)
  while (await retry.wait());
  expect(clock.pauses).toEqual([1, 2, 4, 4, 4])
  expect(await retry.wait()).toBe(false)
  retry.reset()
  expect(await retry.wait()).toBe(true)
  expect(clock.pauses.at(-1)).toBe(1)
})

test('wait reports the next attempt, or that there is none', async () => {
  const retry = createRetry({ firstMs: 1000, maxMs: 2000, budgetMs: 4000 }, never, createClock())
  const reported: unknown[] = []
  while (await retry.wait((next) => reported.push(next)));
  expect(reported).toEqual([{ retryInMs: 1000, givesUpInMs: 4000 }, { retryInMs: 2000, givesUpInMs: 3000 }, undefined])
})

test('an abort ends a pause', async () => {
  const controller = new AbortController()
  const retry = createRetry({ firstMs: 60_000, budgetMs: 120_000 }, controller.signal)
  const waiting = retry.wait()
  controller.abort()
  expect(await waiting).toBe(true)
})
