import { expect, test } from 'vitest'
import { fetchAhead } from './fetch-ahead.ts'

const never = new AbortController().signal

test('yields in order, whatever order the fetches end in', async () => {
  const waiting: (() => void)[] = []
  const fetch = (number: number) =>
    new Promise<number>((resolve) => {
      waiting.unshift(() => resolve(number))
      if (waiting.length === 3 || number === 7) for (const end of waiting.splice(0)) end()
    })
  const numbers = await all(fetchAhead({ from: 2, to: 7, width: 3, signal: never, fetch }))
  expect(numbers).toEqual([2, 3, 4, 5, 6, 7])
})

test('runs no more than its width side by side', async () => {
  let running = 0
  let most = 0
  const fetch = async (number: number) => {
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
    return number
  }
  await all(fetchAhead({ from: 1, to: 40, width: 5, signal: never, fetch }))
  expect(most).toBe(5)
})

test('yields what comes before a failure, then throws it', async () => {
  const fetch = async (number: number) => {
    if (number === 3) throw new Error('broken')
    return number
  }
  const taken: number[] = []
  await expect(async () => {
    for await (const number of fetchAhead({ from: 1, to: 9, width: 4, signal: never, fetch })) taken.push(number)
  }).rejects.toThrow('broken')
  expect(taken).toEqual([1, 2])
})

test('aborts the fetches under way when the iteration is left', async () => {
  const signals: AbortSignal[] = []
  const fetch = async (number: number, signal: AbortSignal) => {
    signals.push(signal)
    return number
  }
  for await (const number of fetchAhead({ from: 1, to: 9, width: 4, signal: never, fetch })) if (number === 2) break
  expect(signals).toHaveLength(5)
  expect(signals.every((signal) => signal.aborted)).toBe(true)
})

test('an empty range yields nothing', async () => {
  const fetch = () => Promise.reject(new Error('not asked for'))
  expect(await all(fetchAhead({ from: 5, to: 4, width: 4, signal: never, fetch }))).toEqual([])
})

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = []
  for await (const item of items) taken.push(item)
  return taken
}
