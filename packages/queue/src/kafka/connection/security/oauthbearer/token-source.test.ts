import { expect, test } from 'vitest'
import { silentLogger } from '../../../../logger.ts'
import { NoAnswerError } from '../../broker-error.ts'
import type { AccessToken } from './access-token.ts'
import { createTokenSource } from './token-source.ts'

/** A source whose origin has these outcomes, in order, and whose clock is set. */
function sourceOf(outcomes: (AccessToken | Error | Promise<AccessToken>)[]) {
  const warnings: object[] = []
  const clock = { now: 1_000, fetches: 0 }
  const source = createTokenSource(
    {
      description: 'a test',
      async fetch() {
        clock.fetches++
        const outcome = outcomes.shift()!
        if (outcome instanceof Error) throw outcome
        return outcome
      },
    },
    { ...silentLogger, warn: (fields: object) => void warnings.push(fields) },
    () => clock.now,
  )
  return { source, clock, warnings }
}

const token = (value: string, lifetimeMs = 100_000): AccessToken => ({ value, lifetimeMs })
const down = new NoAnswerError('down')

test('one token is fetched for calls at the same time, and kept until about 80 % of its lifetime', async () => {
  const { source, clock } = sourceOf([token('one'), token('two')])
  expect(await Promise.all([source.get(), source.get(), source.get()])).toEqual(['one', 'one', 'one'])
  clock.now += 75_000
  expect(await source.get()).toBe('one')
  clock.now += 6_000
  expect(await Promise.all([source.get(), source.get()])).toEqual(['two', 'two'])
  expect(clock.fetches).toBe(2)
})

test('a token that cannot be renewed is used to its end, and fetches pause after a failure', async () => {
  const { source, clock, warnings } = sourceOf([token('one'), down, down, down, token('two')])
  await source.get()
  clock.now += 90_000
  expect(await source.get()).toBe('one')
  expect(await source.get()).toBe('one')
  expect(clock.fetches).toBe(2)
  clock.now += 200
  expect(await source.get()).toBe('one')
  expect(clock.fetches).toBe(3)
  expect(warnings).toEqual([{ reason: 'down' }, { reason: 'down' }])
  clock.now += 10_000
  await expect(source.get()).rejects.toBe(down)
  await expect(source.get()).rejects.toBe(down)
  expect(clock.fetches).toBe(4)
  clock.now += 20_000
  expect(await source.get()).toBe('two')
})

test('the pause grows to about 10 s and not further', async () => {
  const { source, clock } = sourceOf(Array(1_000).fill(down))
  for (let ms = 0; ms < 100_000; ms += 50) {
    clock.now += 50
    await source.get().catch(() => {})
  }
  expect(clock.fetches).toBeGreaterThan(12)
  expect(clock.fetches).toBeLessThan(24)
})

test('a renewal without an answer does not delay a connection beyond the end of its token', async () => {
  const { source, clock } = sourceOf([token('one', 100), new Promise(() => {})])
  await source.get()
  clock.now += 90
  expect(await source.get()).toBe('one')
})

test('a new token that a broker refuses is an error of the user', async () => {
  const { source } = sourceOf([token('one'), token('two')])
  expect(source.refused(await source.get())).toBe(false)
  expect(await source.get()).toBe('two')
})

test('another token may be accepted after an old one, a replaced one, or one like those that were accepted', async () => {
  const { source, clock } = sourceOf(['one', 'two', 'three'].map((value) => token(value)))
  await source.get()
  clock.now += 15_000
  expect(source.refused('one')).toBe(true)
  expect(await source.get()).toBe('two')
  expect(source.refused('one')).toBe(true)
  expect(await source.get()).toBe('two')
  source.accepted()
  expect(source.refused('two')).toBe(true)
  expect(await source.get()).toBe('three')
})
