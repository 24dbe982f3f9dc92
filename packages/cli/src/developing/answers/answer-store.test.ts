import { expect, test } from 'vitest'
import { createAnswerStore } from './answer-store.ts'
import type { KeptAnswer } from './kept-answer.ts'

const answerOf = (body: string): KeptAnswer => ({
  status: 200,
  statusText: 'OK',
  headers: {},
  body,
  url: 'http://host/',
})

test('an answer is kept until it is too old, and a newer one stands for it', () => {
  let now = 0
  const store = createAnswerStore({ maxBytes: 1 << 20, maxAgeMs: 100, now: () => now })
  store.keep('a', answerOf('1'))
  now = 60
  store.keep('b', answerOf('2'))
  expect([store.recall('a'), store.recall('b'), store.recall('c')].map((answer) => answer?.body)).toEqual([
    '1',
    '2',
    undefined,
  ])
  store.keep('a', answerOf('3'))
  now = 150
  expect(store.recall('a')?.body).toBe('3')
  expect(store.keys()).toEqual(['b', 'a'])
  now = 161
  expect(store.keys()).toEqual([])
  expect(store.recall('a')).toBeUndefined()
})

test('what is kept is bounded in bytes: the oldest answers leave first, and one that is too large at once', () => {
  const store = createAnswerStore({ maxBytes: 10_000, maxAgeMs: 100, now: () => 0 })
  for (const key of ['a', 'b', 'c', 'd']) store.keep(key, answerOf('x'.repeat(3000)))
  expect(store.keys()).toEqual(['c', 'd'])
  store.keep('c', answerOf('short'))
  store.keep('e', answerOf('x'.repeat(3000)))
  expect(store.keys()).toEqual(['d', 'c', 'e'])
  store.keep('f', answerOf('x'.repeat(10_000)))
  expect(store.keys()).toEqual([])
  store.keep('g', answerOf('x'.repeat(9000)))
  expect(store.keys()).toEqual(['g'])
})
