import { expect, test } from 'vitest'
import { abortable } from './abortable.ts'

test('a promise that settles before an abort keeps its result', async () => {
  const controller = new AbortController()
  expect(await abortable(Promise.resolve(1), controller.signal)).toBe(1)
  await expect(abortable(Promise.reject(new Error('failed')), controller.signal)).rejects.toThrow('failed')
  expect(await abortable(Promise.resolve(2))).toBe(2)
})

test('an abort rejects with the reason of the signal, and the promise may fail later', async () => {
  const controller = new AbortController()
  const { promise, reject } = Promise.withResolvers<void>()
  const waiting = abortable(promise, controller.signal)
  controller.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  reject(new Error('too late'))
})

test('a signal that is already aborted does not wait', async () => {
  await expect(abortable(new Promise(() => {}), AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
})
