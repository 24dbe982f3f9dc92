import { expect, test } from 'vitest'
import { parseQuery } from './query.ts'

test('a parameter is a string, and a repeated one an array in order', () => {
  expect(parseQuery('b=1&a=1&b=2&__proto__=x&b=&c')).toEqual(
    Object.assign(Object.create(null), { b: ['1', '2', ''], a: '1', ['__proto__']: 'x', c: '' }),
  )
})

test('parsing takes linear time in the number of repetitions', () => {
  const count = 100_000
  expect(parseQuery('a&'.repeat(count)).a).toHaveLength(count)
})

test('a leading question mark belongs to the name', () => {
  expect({ ...parseQuery('?limit=1') }).toEqual({ '?limit': '1' })
  expect({ ...parseQuery('?') }).toEqual({ '?': '' })
})
