import { beforeEach, expect, test, vi } from 'vitest'
import { createEndpointWords, patienceMs } from './endpoint-words.ts'

let now: number
beforeEach(() => {
  now = 1000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  return () => vi.restoreAllMocks()
})

const answers = (a: string | undefined, b?: string) =>
  new Map([['A', a], ...(b === undefined ? [] : [['B', b] as const])])

test('the word of one that answers is what it says now', () => {
  const words = createEndpointWords<string>()
  words.hold('x', answers('one', 'two'))
  expect(words.hold('x', answers('three', 'two'))).toEqual([
    { endpoint: 'A', said: 'three', isSilent: false },
    { endpoint: 'B', said: 'two', isSilent: false },
  ])
})

test('the word of one that falls silent holds for as long as its own silence is short', () => {
  const words = createEndpointWords<string>()
  words.hold('x', answers('one'))
  now += 10 * patienceMs
  const held = [{ endpoint: 'A', said: 'one', isSilent: true }]
  expect(words.hold('x', answers(undefined))).toEqual(held)
  now += patienceMs - 1
  expect(words.hold('x', answers(undefined))).toEqual(held)
  now += 1
  expect(words.hold('x', answers(undefined))).toEqual([])
  expect(words.hold('x', answers('two'))).toEqual([{ endpoint: 'A', said: 'two', isSilent: false }])
})

test('the word of one that is asked seldom holds for some looks', () => {
  const words = createEndpointWords<string>()
  words.hold('x', answers('one'))
  const held = [{ endpoint: 'A', said: 'one', isSilent: true }]
  for (let look = 0; look < 2; look++) {
    now += 10 * patienceMs
    expect(words.hold('x', answers(undefined))).toEqual(held)
  }
  expect(words.hold('x', answers(undefined))).toEqual([])
})

test('one that is missing is silent, until it is forgotten for good', () => {
  const words = createEndpointWords<string>()
  words.hold('x', answers('one', 'two'))
  const [a, b] = [
    { endpoint: 'A', said: 'one', isSilent: false },
    { endpoint: 'B', said: 'two', isSilent: true },
  ]
  expect(words.hold('x', answers('one'))).toEqual([a, b])
  now += patienceMs
  expect(words.hold('x', answers('one'))).toEqual([a, b])
  expect(words.hold('x', answers('one'))).toEqual([a])
  expect(words.hold('y', answers('one'))).toEqual([a])
})

test('an answer ends a silence', () => {
  const words = createEndpointWords<string>()
  words.hold('x', answers(undefined))
  now += patienceMs - 1
  words.hold('x', answers('one'))
  now += patienceMs
  expect(words.hold('x', answers(undefined))).toEqual([{ endpoint: 'A', said: 'one', isSilent: true }])
})

test('one that has never answered is waited for from when it was first asked', () => {
  const words = createEndpointWords<string>()
  expect(words.hold('x', answers(undefined))).toEqual([{ endpoint: 'A', said: undefined, isSilent: true }])
  now += patienceMs
  words.hold('x', answers(undefined))
  expect(words.hold('x', answers(undefined))).toEqual([])
})

test('a word is about its subject alone, until all is forgotten', () => {
  const words = createEndpointWords<string>()
  words.hold('x', answers('one'))
  expect(words.hold('y', answers(undefined))).toEqual([{ endpoint: 'A', said: undefined, isSilent: true }])
  words.forget()
  expect(words.hold('x', answers(undefined))).toEqual([{ endpoint: 'A', said: undefined, isSilent: true }])
})
