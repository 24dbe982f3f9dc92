import { expect, test } from 'vitest'
import { parseRetryAfter } from './endpoint-failure.ts'

const now = Date.UTC(2026, 0, 1, 12, 0, 0)

test.each([
  ['120', 120_000],
  ['0', 0],
  ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
  ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j is parsed to %j ms', (header, expected) => {
  expect(parseRetryAfter(header, now)).toBe(expected)
})
