import { beforeEach, expect, test, vi } from 'vitest'
import { createHeadWatch } from './endpoint-view.ts'

let now: number
beforeEach(() => {
  now = 1000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  return () => vi.restoreAllMocks()
})

test('a head watch returns for how long the head of an endpoint is the same', () => {
  const watch = createHeadWatch()
  expect(watch('A', { number: 5, hash: '0xa' })).toBe(0)
  now += 70
  expect(watch('A', { number: 5, hash: '0xa' })).toBe(70)
  expect(watch('B', { number: 5, hash: '0xa' })).toBe(0)
})

test.each([
  ['higher', { number: 6, hash: '0xb' }],
  ['lower', { number: 4, hash: '0xb' }],
  ['another block of the same number', { number: 5, hash: '0xb' }],
  ['the same hash with another number', { number: 6, hash: '0xa' }],
])('a head that is %s counts as changed', (_, head) => {
  const watch = createHeadWatch()
  watch('A', { number: 5, hash: '0xa' })
  now += 70
  expect(watch('A', head)).toBe(0)
  now += 10
  expect(watch('A', head)).toBe(10)
})
