import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { InvalidOptionError, UnavailableError } from '../errors.ts'
import { createCredentials, readToken } from './credentials.ts'

const start = Date.parse('2026-08-21T10:00:00Z')
beforeEach(() => void vi.useFakeTimers({ now: start }))
afterEach(() => void vi.useRealTimers())

/** A token with these times, in s from the start. */
function tokenOf(iat: number, exp: number): string {
  const claims = { iat: start / 1000 + iat, exp: start / 1000 + exp }
  return `e30.${btoa(JSON.stringify(claims)).replaceAll('=', '')}.x`
}

test('a token is kept until shortly before it expires, and concurrent calls share the next one', async () => {
  const token = vi.fn(async () => tokenOf((Date.now() - start) / 1000, (Date.now() - start) / 1000 + 100))
  const { current } = createCredentials({ token })
  const [first, same] = await Promise.all([current(undefined), current(undefined)])
  expect(same).toBe(first)
  await vi.advanceTimersByTimeAsync(79_000)
  expect(await current(undefined)).toBe(first)
  expect(token).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(12_000)
  const [next, other] = await Promise.all([current(undefined), current(undefined)])
  expect(next.value).not.toBe(first.value)
  expect(other).toBe(next)
  expect(token).toHaveBeenCalledTimes(2)
})

test('a token that may still be valid is used if no new one can be got, and after it the failure is thrown', async () => {
  const cause = new Error('the backend is away')
  const token = vi.fn(async () => tokenOf(0, 100))
  const { current } = createCredentials({ token })
  const first = await current(undefined)
  token.mockRejectedValue(cause)
  await vi.advanceTimersByTimeAsync(95_000)
  expect(await current(undefined)).toBe(first)
  await vi.advanceTimersByTimeAsync(5_000)
  const error = await current(undefined).catch((error) => error)
  expect(error).toBeInstanceOf(UnavailableError)
  expect(error).toMatchObject({ code: 'token_unavailable', cause })
})

test('a refused token is replaced, and a newer one is kept', async () => {
  const tokens = [tokenOf(0, 100), tokenOf(0, 101)]
  const { current, replace } = createCredentials({ token: async () => tokens.shift()! })
  const first = await current(undefined)
  expect(replace(first)).toBe(true)
  const second = await current(undefined)
  expect(second.value).not.toBe(first.value)
  expect(replace(first)).toBe(true)
  expect(await current(undefined)).toBe(second)
})

test('a function that never returns fails after 30 s, and is called again', async () => {
  const token = vi.fn(() => new Promise<string>(() => {}))
  const { current } = createCredentials({ token })
  for (let calls = 1; calls <= 2; calls++) {
    const failed = current(undefined).catch((error) => error)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await failed).toMatchObject({ code: 'token_unavailable' })
    expect(token).toHaveBeenCalledTimes(calls)
  }
})

test('a caller that is aborted does not wait, and the others do', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { current } = createCredentials({ token: () => promise })
  const stop = new AbortController()
  const aborted = current(stop.signal).catch((error) => error)
  const other = current(undefined)
  stop.abort('enough')
  expect(await aborted).toBe('enough')
  resolve(tokenOf(0, 100))
  expect((await other).value).toBe(tokenOf(0, 100))
})

test.each([undefined, '', 'a b', 'a\n', 7])('%j is not a token', async (value) => {
  const { current } = createCredentials({ token: async () => value as string })
  await expect(current(undefined)).rejects.toThrow(InvalidOptionError)
})

test.each([
  ['that was just created', 0, 100, 80],
  ['that a backend has kept for a while', -60, 40, 32],
  ['on a device whose clock is an hour behind', 3600, 3700, 80],
  ['on a device whose clock is an hour ahead', -3600, -3500, 80],
  ['of a day, five minutes ahead', 0, 86_400, 86_100],
])('a token %s is renewed in time', (_, iat, exp, renewal) => {
  expect((readToken(tokenOf(iat, exp), start, () => 1).renewAt - start) / 1000).toBe(renewal)
})

test('a function may return an API key, which is not renewed', async () => {
  const { current } = createCredentials({ token: async () => 'hr_test_key' })
  expect(await current(undefined)).toMatchObject({ value: 'hr_test_key', renewAt: Number.POSITIVE_INFINITY })
})

test.each([
  ['neither a key nor a function', {}],
  ['both', { apiKey: 'hr_test_key', token: async () => 'x' }],
  ['a token instead of a function', { token: 'eyJ' as never }],
])('%s is refused', (_, options) => {
  expect(() => createCredentials(options)).toThrow(InvalidOptionError)
})
