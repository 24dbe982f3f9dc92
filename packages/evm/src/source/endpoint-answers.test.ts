import { beforeEach, expect, test, vi } from 'vitest'
import { createEndpointAnswers, patienceMs } from './endpoint-answers.ts'

let now: number
beforeEach(() => {
  now = 1000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  return () => vi.restoreAllMocks()
})

const answers = (a: string | undefined, b?: string) =>
  new Map([['A', a], ...(b === undefined ? [] : [['B', b] as const])])

test('an endpoint that answers is remembered with its current answer', () => {
  const remembered = createEndpointAnswers<string>()
  remembered.update('x', answers('one', 'two'))
  expect(remembered.update('x', answers('three', 'two'))).toEqual([
    { endpoint: 'A', answer: 'three', isSilent: false },
    { endpoint: 'B', answer: 'two', isSilent: false },
  ])
})

test('the answer of an endpoint that no longer answers is kept for a limited time', () => {
  const remembered = createEndpointAnswers<string>()
  remembered.update('x', answers('one'))
  now += 10 * patienceMs
  const kept = [{ endpoint: 'A', answer: 'one', isSilent: true }]
  expect(remembered.update('x', answers(undefined))).toEqual(kept)
  now += patienceMs - 1
  expect(remembered.update('x', answers(undefined))).toEqual(kept)
  now += 1
  expect(remembered.update('x', answers(undefined))).toEqual([])
  expect(remembered.update('x', answers('two'))).toEqual([{ endpoint: 'A', answer: 'two', isSilent: false }])
})

test('the answer of an endpoint that is rarely requested is kept for a limited number of requests', () => {
  const remembered = createEndpointAnswers<string>()
  remembered.update('x', answers('one'))
  const kept = [{ endpoint: 'A', answer: 'one', isSilent: true }]
  for (let request = 0; request < 2; request++) {
    now += 10 * patienceMs
    expect(remembered.update('x', answers(undefined))).toEqual(kept)
  }
  expect(remembered.update('x', answers(undefined))).toEqual([])
})

test('an endpoint that is missing counts as silent, until it is removed', () => {
  const remembered = createEndpointAnswers<string>()
  remembered.update('x', answers('one', 'two'))
  const [a, b] = [
    { endpoint: 'A', answer: 'one', isSilent: false },
    { endpoint: 'B', answer: 'two', isSilent: true },
  ]
  expect(remembered.update('x', answers('one'))).toEqual([a, b])
  now += patienceMs
  expect(remembered.update('x', answers('one'))).toEqual([a, b])
  expect(remembered.update('x', answers('one'))).toEqual([a])
  expect(remembered.update('y', answers('one'))).toEqual([a])
})

test('an answer ends the silence of an endpoint', () => {
  const remembered = createEndpointAnswers<string>()
  remembered.update('x', answers(undefined))
  now += patienceMs - 1
  remembered.update('x', answers('one'))
  now += patienceMs
  expect(remembered.update('x', answers(undefined))).toEqual([{ endpoint: 'A', answer: 'one', isSilent: true }])
})

test('the silence of an endpoint that never answered begins with the first request', () => {
  const remembered = createEndpointAnswers<string>()
  expect(remembered.update('x', answers(undefined))).toEqual([{ endpoint: 'A', answer: undefined, isSilent: true }])
  now += patienceMs
  remembered.update('x', answers(undefined))
  expect(remembered.update('x', answers(undefined))).toEqual([])
})

test('an answer is remembered for its subject only, until all are removed', () => {
  const remembered = createEndpointAnswers<string>()
  remembered.update('x', answers('one'))
  expect(remembered.update('y', answers(undefined))).toEqual([{ endpoint: 'A', answer: undefined, isSilent: true }])
  remembered.clear()
  expect(remembered.update('x', answers(undefined))).toEqual([{ endpoint: 'A', answer: undefined, isSilent: true }])
})
