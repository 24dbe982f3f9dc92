import { expect, test } from 'vitest'
import { formatAge } from './table.ts'

const now = Date.parse('2026-08-21T10:00:00Z')

test.each([
  ['2026-08-21T09:59:59.100Z', '0s ago'],
  ['2026-08-21T09:59:01Z', '59s ago'],
  ['2026-08-21T09:58:01Z', '1m ago'],
  ['2026-08-20T10:00:01Z', '23h ago'],
  ['2026-08-19T10:00:00Z', '2d ago'],
  ['2026-08-21T10:00:05Z', 'in 5s'],
])('%s is %s', (time, age) => {
  expect(formatAge(Date.parse(time), now)).toBe(age)
})
