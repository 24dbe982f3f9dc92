import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { StatusLine } from '../logging/logger.ts'
import { createRate } from '../output/rate.ts'
import { showProgress } from './show-progress.ts'

let shown: string[]
const status: StatusLine = {
  show: (text) => shown.push(text),
  clear: () => shown.push(''),
  print: () => {},
}
beforeEach(() => {
  shown = []
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Starts to show a run, and returns functions that report its progress. */
function start() {
  const { observer, end } = showProgress(status)
  const commit = (units: number, records: number) =>
    observer.onCommit?.({ ...{ units, records, bytes: 0, badMessages: 0 }, unit: units, checkpoint: null })
  return { commit, progress: (at: number, head: number) => observer.onProgress?.(at, head), end }
}

/** Advances the clock, and returns the parts of the status. */
function after(ms: number): string[] {
  vi.advanceTimersByTime(ms)
  return shown.at(-1)!.split(' · ')
}

test('published records and rates are shown before the source reports its position', () => {
  const { commit, end } = start()
  expect(after(250)).toEqual(['0 units, 0 records', '0.0 units/s, 0 records/s'])
  commit(5, 210)
  expect(after(1000)).toEqual(['5 units, 210 records', '5.0 units/s, 210 records/s'])
  expect(shown).toHaveLength(5)
  end()
})

test('the position of the source, its lag and the time left are shown', () => {
  const { commit, progress, end } = start()
  progress(100, 1000)
  expect(after(250).slice(2)).toEqual(['at 100 of 1000, 900 behind'])
  commit(10, 30)
  progress(110, 1000)
  expect(after(1000)).toEqual([
    '10 units, 30 records',
    '10.0 units/s, 30 records/s',
    'at 110 of 1000, 890 behind',
    '89 s left',
  ])
  end()
})

test.each([
  [1000, 9, '1 s left'],
  [1000, 890, '89 s left'],
  [1000, 900, '2 min left'],
  [1000, 9000, '15 min left'],
  [1000, 90_000, '2.5 h left'],
])('at 10 units per second, at position %i with %i units left, the time left is %s', (at, behind, left) => {
  const { progress, end } = start()
  progress(at - 10, at + behind)
  after(250)
  progress(at, at + behind)
  expect(after(1000).at(-1)).toBe(left)
  end()
})

test('at the head, or beyond it, no time left is shown', () => {
  const { progress, end } = start()
  for (const head of [20, 18]) {
    progress(10, 20)
    after(250)
    progress(20, head)
    expect(after(1000).slice(2)).toEqual([`at 20 of ${head}, 0 behind`])
  }
  end()
})

test('no time left is shown for a source that does not advance', () => {
  const { progress, end } = start()
  progress(10, 20)
  after(250)
  expect(after(1000).slice(2)).toEqual(['at 10 of 20, 10 behind'])
  end()
})

test('the progress is removed at its end, and is not shown again', () => {
  const { end } = start()
  after(250)
  end()
  expect(shown.at(-1)).toBe('')
  const { length } = shown
  vi.advanceTimersByTime(5000)
  expect(shown).toHaveLength(length)
})

test('the rate is that of the last ten seconds', () => {
  const rate = createRate()
  expect(rate(0, 0)).toBe(0)
  expect(rate(1000, 50)).toBe(50)
  for (let second = 2; second <= 30; second++) rate(second * 1000, 50)
  expect(rate(31_000, 50)).toBe(0)
  expect(rate(32_000, 150)).toBe(10)
})
