import { expect, test } from 'vitest'
import { toPosition } from './to-position.ts'

const now = new Date('2026-08-21T12:00:00Z')

test.each([
  ['-10m', '-10m'],
  ['earliest', 'earliest'],
  ['2026-08-21T10:00:00Z', '2026-08-21T10:00:00Z'],
  ['', ''],
  ['2026-99-99', '2026-99-99'],
])('a position is left as it is: %s', (text, position) => {
  expect(toPosition(text, now)).toBe(position)
})

test.each([
  ['2026-08-21 10:00', new Date(2026, 7, 21, 10, 0)],
  ['2026-08-21T10:00:30', new Date(2026, 7, 21, 10, 0, 30)],
  ['2026-08-21', new Date(2026, 7, 21)],
  ['9:05', new Date(2026, now.getMonth(), now.getDate(), 9, 5)],
])('a date or a time of day is one of this time zone: %s', (text, date) => {
  expect(toPosition(text, now)).toBe(date.toISOString())
})
