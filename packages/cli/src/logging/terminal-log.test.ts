import { expect, test } from 'vitest'
import { formatLogLine } from './terminal-log.ts'

test('a log line reads as time, level, message and fields', () => {
  const time = new Date('2026-08-21T10:00:01').getTime()
  const line = JSON.stringify({ level: 40, time, msg: 'commit refused', unit: 7, topic: 'a b', err: { message: 'no' } })
  expect(formatLogLine(line)).toBe('10:00:01 warn commit refused unit=7 topic="a b" error=no')
})
