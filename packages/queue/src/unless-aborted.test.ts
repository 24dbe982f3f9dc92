import { expect, test } from 'vitest'
import { unlessAborted } from './unless-aborted.ts'

test('a promise that settles before an abort keeps its result', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1)
  await expect(unlessAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed')
})

test('an abort resolves to undefined, and the promise may fail later', async () => {
  const controller = new AbortController()
  const { promise, reject } = Promise.withResolvers<void>()
  const waiting = unlessAborted(promise, controller.signal)
  controller.abort(new Error('stopped'))
  expect(await waiting).toBeUndefined()
  reject(new Error('too late'))
})

test('a signal that is already aborted does not wait', async () => {
  expect(await unlessAborted(new Promise(() => {}), AbortSignal.abort())).toBeUndefined()
  expect(await unlessAborted(Promise.resolve(1), AbortSignal.abort())).toBeUndefined()
})
