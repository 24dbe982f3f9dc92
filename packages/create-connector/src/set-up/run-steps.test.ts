import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { showProgress } from './run-steps.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('without a terminal a slow step is reported every 15 seconds until its end', () => {
  const notes: string[] = []
  const end = showProgress('  install  ', { note: (line) => notes.push(line) })
  vi.advanceTimersByTime(14_999)
  expect(notes).toEqual([])
  vi.advanceTimersByTime(15_001)
  end()
  vi.advanceTimersByTime(60_000)
  expect(notes).toEqual(['  install  still running after 15 s', '  install  still running after 30 s'])
})

test('on a terminal one line counts the seconds, and is removed at the end', () => {
  const terminal = new PassThrough({ encoding: 'utf8' })
  const note = vi.fn()
  const end = showProgress('  install  ', { note, terminal })
  vi.advanceTimersByTime(2000)
  end()
  vi.advanceTimersByTime(60_000)
  expect(terminal.read().split('\r\u001b[2K')).toEqual(['  install  …', '  install  … 1 s', '  install  … 2 s', ''])
  expect(note).not.toHaveBeenCalled()
})
