import { expect, test } from 'vitest'
import { createByteCache } from './byte-cache.ts'

const open = (maxBytes: number) => {
  const counts = { hits: 0, misses: 0, bytes: 0 }
  return { counts, cache: createByteCache<string>(maxBytes, counts, ({ length }) => length) }
}

test('the most recently used values stay, and peek does not count as a use', () => {
  const { cache, counts } = open(4000)
  for (const name of ['a', 'b', 'c']) cache.set(name, 'x'.repeat(1000))
  cache.get('a')
  cache.peek('b')
  cache.set('d', 'x'.repeat(1000))
  expect(['a', 'b', 'c', 'd'].filter((name) => cache.get(name) !== undefined)).toEqual(['a', 'c', 'd'])
  expect(counts).toMatchObject({ hits: 4, misses: 1 })
})

test('a value larger than the cache is not kept, nor the value that it replaces', () => {
  const { cache, counts } = open(1000)
  cache.set('a', 'x')
  cache.set('a', 'x'.repeat(1000))
  expect(cache.get('a')).toBeUndefined()
  expect(counts.bytes).toBe(0)
})

test('the size of names counts', () => {
  const { cache, counts } = open(100_000)
  const nameOf = (n: number) => `${n}`.padEnd(1000)
  for (let n = 0; n < 1000; n++) cache.set(nameOf(n), 'x')
  expect(counts.bytes).toBeLessThanOrEqual(100_000)
  expect(Array.from({ length: 1000 }, (_, n) => cache.get(nameOf(n))).filter(Boolean).length).toBeLessThan(100)
})
