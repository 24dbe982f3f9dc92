import { describe, expect, it } from 'vitest'
import { encodeCursor } from './cursor.ts'
import { parsePosition } from './parse-position.ts'

const now = Date.UTC(2026, 7, 21, 10)

describe('parsePosition', () => {
  it.each(['earliest', 'latest', 'final'] as const)('reads %s', (kind) => expect(parsePosition(kind)).toEqual({ kind }))

  it.each([
    ['-30s', 30_000],
    ['-10m', 600_000],
    ['-2h', 7_200_000],
    ['-1d', 86_400_000],
  ])('counts %s back from now', (text, ago) =>
    expect(parsePosition(text, now)).toEqual({ kind: 'time', time: now - ago }),
  )

  it('limits times to 1970 and later', () => {
    expect(parsePosition('-999999999d', now)).toEqual({ kind: 'time', time: 0 })
    expect(parsePosition('1969-12-31T23:59:59Z')).toEqual({ kind: 'time', time: 0 })
  })

  it.each([
    ['2026-08-21T10:00:00Z', now],
    ['2026-08-21t10:00:00z', now],
    ['2026-08-21T12:30:00+02:30', now],
    ['2026-08-21T05:00:00-05:00', now],
    ['2026-08-21T10:00:00.25Z', now + 250],
    ['2026-08-21T10:00:00.123456789Z', now + 123],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('reads the time %s', (text, time) => expect(parsePosition(text)).toEqual({ kind: 'time', time }))

  it('reads the number of last records', () => {
    expect(parsePosition('last:100')).toEqual({ kind: 'last', count: 100 })
  })

  it('reads a cursor with an id of any length', () => {
    for (const length of [1, 15, 16, 22, 64]) {
      const cursor = {
        topics: [{ id: 'i'.repeat(length), topic: 'a.1_0_0.b_C', partitions: [{ offset: 7n, seq: 3 }] }],
      }
      expect(parsePosition(encodeCursor(cursor))).toEqual({ kind: 'cursor', cursor })
    }
  })

  it.each([
    '',
    'EARLIEST',
    'last:0',
    'last:-1',
    'last:1e3',
    'last:10001',
    '-10',
    '-10y',
    '2026-08-21',
    '2026-02-30T00:00:00Z',
    '2026-08-21T24:00:00Z',
    '2026-08-21T10:00:00',
    '2026-08-21 10:00:00Z',
    'x'.repeat(5000),
  ])('refuses "%s" with what is allowed', (text) => {
    expect(() => parsePosition(text)).toThrow(
      expect.objectContaining({ code: 'invalid_position', message: expect.stringContaining('Allowed are "earliest"') }),
    )
  })

  it('refuses a text that starts like a cursor with invalid_cursor', () => {
    expect(() => parsePosition('AQEx')).toThrow(expect.objectContaining({ code: 'invalid_cursor' }))
  })
})
