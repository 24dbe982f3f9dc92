import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RefusedError, UnavailableError } from './errors.ts'
import { backoffMs, createRetry, type RetryNotice } from './retry.ts'

const failure = new UnavailableError('overloaded', 'Busy.')

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Runs all fake timers, and waits for the promise. */
async function settled<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {})
  await vi.runAllTimersAsync()
  return promise
}

test('the backoff grows with each failure in a row, and a success resets it', async () => {
  const notices: RetryNotice[] = []
  const retry = createRetry({ retryForMs: 60_000, onRetry: (notice) => void notices.push(notice) })
  for (let failures = 0; failures < 3; failures++) await settled(retry.after(failure))
  retry.succeeded()
  await settled(retry.after(failure))
  expect(notices.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
    [1, 250],
    [2, 500],
    [3, 1000],
    [1, 250],
  ])
})

test('the wait is at least the time that the gateway demands', async () => {
  const notices: RetryNotice[] = []
  const retry = createRetry({ retryForMs: 60_000, onRetry: (notice) => void notices.push(notice) })
  const limited = new UnavailableError('rate_limited', 'Too many.', { retryAfterMs: 7000 })
  const before = performance.now()
  await settled(retry.after(limited))
  expect(performance.now() - before).toBeGreaterThanOrEqual(7000)
  expect(notices[0]!.delayMs).toBeGreaterThanOrEqual(7000)
})

test('the failure is thrown after retryForMs', async () => {
  const retry = createRetry({ retryForMs: 10_000 })
  let failures = 0
  const trying = async () => {
    for (;;) {
      await retry.after(failure)
      failures++
    }
  }
  await expect(settled(trying())).rejects.toBe(failure)
  expect(failures).toBeGreaterThan(3)
})

test('time in which the device was asleep does not count', async () => {
  const retry = createRetry({ retryForMs: 120_000 })
  await settled(retry.after(failure))
  vi.advanceTimersByTime(8 * 3_600_000)
  await expect(settled(retry.after(failure))).resolves.toBeUndefined()
})

test('a refusal is not retried', async () => {
  const refusal = new RefusedError('topic_forbidden', 'No.')
  await expect(createRetry({ retryForMs: 60_000 }).after(refusal)).rejects.toBe(refusal)
})

test('a signal ends the wait', async () => {
  const stop = new AbortController()
  const waiting = createRetry({ retryForMs: 60_000, signal: stop.signal }).after(failure)
  const reason = new Error('enough')
  stop.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  expect(vi.getTimerCount()).toBe(0)
})

test('waits are random below a bound that doubles up to half a minute', () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((attempt) => backoffMs(attempt, () => 1))
  expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  expect(backoffMs(5, () => 0)).toBe(0)
  expect(backoffMs(5, () => 0.25)).toBe(2000)
})
