import { encodeCursor } from '@headrace/catalog'
import { expect, test } from 'vitest'
import { isCanonicalCursor, isCursor, isMoving } from '../src/position.ts'

const partitions = [{ offset: 5n, seq: 5 }]

test.each(['earliest', 'latest', 'final', '2026-08-21T10:00:00Z', '-10m', 'last:100'])(
  '"%s" is not a cursor',
  (name) => {
    expect(isCursor(name)).toBe(false)
    expect(isCanonicalCursor(name)).toBe(false)
  },
)

test('a cursor shows whether it is of the canonical view', () => {
  for (const id of ['a', 'z'.repeat(63), '0', '~~']) {
    const log = encodeCursor({ topics: [{ id, topic: 'orders', partitions }] })
    const canonical = encodeCursor({ topics: [{ id, topic: 'orders', partitions, asOf: [{ offset: 9n, seq: 9 }] }] })
    expect([isCursor(log), isCanonicalCursor(log)]).toEqual([true, false])
    expect([isCursor(canonical), isCanonicalCursor(canonical)]).toEqual([true, true])
  }
})

test('every position except a cursor and earliest may move', () => {
  const cursor = encodeCursor({ topics: [{ id: 'a', topic: 'orders', partitions }] })
  for (const position of ['latest', 'final', '2999-01-01T00:00:00Z', '-10m', 'last:100'])
    expect(isMoving(position)).toBe(true)
  for (const position of ['earliest', cursor]) expect(isMoving(position)).toBe(false)
})
