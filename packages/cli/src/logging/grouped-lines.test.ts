import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createGroupedLines } from './grouped-lines.ts'

let writes: string[] = []
const open = () => {
  const before = process.listeners('exit')
  const log = pino({ base: null, timestamp: false }, createGroupedLines({ write: (lines) => void writes.push(lines) }))
  const exit = process.listeners('exit').find((listener) => !before.includes(listener))!
  return { log, exit: () => exit(0) }
}

beforeEach(() => {
  vi.useFakeTimers()
  writes = []
})
afterEach(() => {
  vi.useRealTimers()
})

test('entries are written together, after 100 ms at the latest', () => {
  const { log } = open()
  log.info('one')
  vi.advanceTimersByTime(60)
  log.debug('not enabled')
  log.info('two')
  expect(writes).toEqual([])
  vi.advanceTimersByTime(40)
  expect(writes).toEqual(['{"level":30,"msg":"one"}\n{"level":30,"msg":"two"}\n'])
  log.info('three')
  vi.advanceTimersByTime(100)
  expect(writes[1]).toBe('{"level":30,"msg":"three"}\n')
})

test('a warning is written at once, after what was logged before', () => {
  const { log } = open()
  log.info('one')
  log.warn('two')
  expect(writes).toEqual(['{"level":30,"msg":"one"}\n{"level":40,"msg":"two"}\n'])
})

test('no entry is lost when the process exits', () => {
  const { log, exit } = open()
  log.info('last')
  exit()
  expect(writes).toEqual(['{"level":30,"msg":"last"}\n'])
})

test('a large group is written at once', () => {
  const { log } = open()
  for (let entry = 0; entry < 100; entry++) log.info('x'.repeat(100))
  expect(writes).toHaveLength(1)
})
