import { expect, test } from 'vitest'
import { createChanges } from './watch-project.ts'

const { signal } = new AbortController()

test('simultaneous changes are returned together, sorted, without duplicates', async () => {
  const changes = createChanges({ quietMs: 20 })
  const next = changes.next(signal)
  for (const file of ['b', 'a', 'b', 'c']) {
    changes.add(file)
    await new Promise(setImmediate)
  }
  expect(await next).toEqual(['a', 'b', 'c'])
  expect(changes.arePending()).toBe(false)
})

test('changes from before a call are returned at once', async () => {
  const changes = createChanges({ quietMs: 20 })
  changes.add('a')
  expect(changes.arePending()).toBe(true)
  expect(await changes.next(signal)).toEqual(['a'])
  changes.add('b')
  expect(await changes.next(signal)).toEqual(['b'])
})

test('changes that never stop are returned after a limit', async () => {
  const changes = createChanges({ quietMs: 1_000_000, longestMs: 50 })
  const writing = setInterval(() => changes.add('a'), 5)
  expect(await changes.next(signal)).toEqual(['a'])
  clearInterval(writing)
})

test('an abort ends the wait for a change and the wait for quiet', async () => {
  const changes = createChanges({ quietMs: 1_000_000, longestMs: 1_000_000 })
  const first = new AbortController()
  const waiting = changes.next(first.signal)
  first.abort()
  expect(await waiting).toBeUndefined()
  changes.add('a')
  const second = new AbortController()
  const quiet = changes.next(second.signal)
  await new Promise(setImmediate)
  second.abort()
  expect(await quiet).toBeUndefined()
  expect(await changes.next(AbortSignal.abort())).toBeUndefined()
})
