import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startStopwatch } from './stopwatch.ts'

let sleptMs = 0
beforeEach(() => {
  vi.useFakeTimers()
  sleptMs = 0
  const monotonic = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + sleptMs)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('counts the time in which the process runs', () => {
  using stopwatch = startStopwatch()
  expect(stopwatch.elapsedMs).toBe(0)
  vi.advanceTimersByTime(42_300)
  expect(stopwatch.elapsedMs).toBe(42_300)
  vi.advanceTimersByTime(100_000)
  expect(stopwatch.elapsedMs).toBe(142_300)
})

it('starts again from zero after the process was asleep', () => {
  using stopwatch = startStopwatch()
  vi.advanceTimersByTime(44_000)
  sleptMs = 60_000
  expect(stopwatch.elapsedMs).toBe(0)
  vi.advanceTimersByTime(3_000)
  expect(stopwatch.elapsedMs).toBe(3_000)
})

it('does not mistake a busy event loop for sleep', () => {
  using stopwatch = startStopwatch()
  vi.advanceTimersByTime(10_000)
  sleptMs = 4_000
  expect(stopwatch.elapsedMs).toBe(14_000)
})

it('has no timer after it was disposed', () => {
  startStopwatch()[Symbol.dispose]()
  expect(vi.getTimerCount()).toBe(0)
})
