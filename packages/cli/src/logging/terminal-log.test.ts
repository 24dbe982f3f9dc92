import { expect, test } from 'vitest'
import { formatLogLine, type Paint } from './logger.ts'

const plain: Paint = (_, text) => text

const time = new Date('2026-08-21T10:00:01').getTime()

test('a log line has the time, the level, the message and the fields', () => {
  const line = JSON.stringify({ level: 40, time, msg: 'commit refused', unit: 7, topic: 'a b', err: { message: 'no' } })
  expect(formatLogLine(line, plain)).toBe('10:00:01 warn commit refused unit=7 topic="a b" error=no')
})

test.each([
  [1000, 300_000, '1 s', '5 min'],
  [3999.5, 259_001, '4 s', '4 min 20 s'],
  [60_000, 7_500_000, '1 min', '2 h 5 min'],
])(
  'a failure that is retried shows the time until the next attempt and the last one',
  (retryInMs, givesUpInMs, next, last) => {
    const line = JSON.stringify({ level: 50, time, msg: 'read failed', retryInMs, givesUpInMs, err: { message: 'no' } })
    expect(formatLogLine(line, plain)).toBe(
      `10:00:01 error read failed error=no (next try in ${next}, gives up in ${last})`,
    )
  },
)

test('the time is dim, warnings are yellow and errors red', () => {
  const styles = (level: number) =>
    formatLogLine(JSON.stringify({ level, time, msg: 'm' }), (style, text) => `<${style} ${text}>`)
  expect([30, 40, 50, 60].map(styles)).toEqual([
    '<dim 10:00:01> info m',
    '<dim 10:00:01> <yellow warn> m',
    '<dim 10:00:01> <red error> m',
    '<dim 10:00:01> <red fatal> m',
  ])
})
