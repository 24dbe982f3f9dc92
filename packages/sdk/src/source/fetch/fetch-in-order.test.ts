import { expect, test } from 'vitest'
import { type FetchInOrderOptions, fetchInOrder } from './fetch-in-order.ts'

const never = new AbortController().signal

function ordered(options: Partial<FetchInOrderOptions<number>>): AsyncGenerator<number, void, undefined> {
  return fetchInOrder({
    ...{ from: 1, to: 40, width: () => 5, maxBytes: 1000, sizeOf: () => 1, signal: never },
    fetch: async (number) => number,
    ...options,
  })
}

test('results are yielded in the order of the range, not in the order in which fetches end', async () => {
  const waiting: (() => void)[] = []
  const fetch = (number: number) =>
    new Promise<number>((resolve) => {
      waiting.unshift(() => resolve(number))
      if (waiting.length === 3 || number === 7) for (const end of waiting.splice(0)) end()
    })
  expect(await all(ordered({ from: 2, to: 7, width: () => 3, fetch }))).toEqual([2, 3, 4, 5, 6, 7])
})

test('at most `width` fetches run concurrently, and `width` may change', async () => {
  let [running, most, width] = [0, 0, 2]
  const widest: number[] = []
  const fetch = async (number: number) => {
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
    if (number === 20) {
      widest.push(most)
      width = 6
    }
    return number
  }
  await all(ordered({ width: () => width, fetch }))
  expect([...widest, most]).toEqual([2, 6])
})

test('fetching continues up to maxBytes while one fetch is late and while the consumer is busy', async () => {
  const late = Promise.withResolvers<void>()
  const begun: number[] = []
  const fetch = async (number: number) => {
    begun.push(number)
    if (number === 1) await late.promise
    return number
  }
  const numbers = ordered({ to: 1000, width: () => 4, maxBytes: 1000, sizeOf: () => 10, fetch })
  const first = numbers.next()
  for (let turn = 0; turn < 1000; turn++) await Promise.resolve()
  // 100 results fit. The late one and some others count with their estimated size.
  expect(begun.length).toBeGreaterThan(80)
  expect(begun.length).toBeLessThanOrEqual(101)
  late.resolve()
  expect((await first).value).toBe(1)
  await numbers.return()
})

test('results larger than maxBytes are fetched one by one', async () => {
  let [running, most] = [0, 0]
  const fetch = async (number: number) => {
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
    return number
  }
  const numbers = ordered({ from: 1, to: 30, width: () => 8, maxBytes: 10, sizeOf: () => 1000, fetch })
  for (let number = 1; number <= 10; number++) await numbers.next()
  most = 0
  expect(await all(numbers)).toEqual(Array.from({ length: 20 }, (_, index) => index + 11))
  expect(most).toBe(1)
})

test('results before a failure are yielded, then it is thrown', async () => {
  const fetch = async (number: number) => {
    if (number === 3) throw new Error('broken')
    return number
  }
  const taken: number[] = []
  await expect(async () => {
    for await (const number of ordered({ fetch })) taken.push(number)
  }).rejects.toThrow('broken')
  expect(taken).toEqual([1, 2])
})

test('no fetch begins after a failure', async () => {
  const late = Promise.withResolvers<number>()
  let begun = 0
  const fetch = async (number: number) => {
    begun++
    if (number === 1) return late.promise
    throw new Error('broken')
  }
  const numbers = ordered({ to: 1_000_000, width: () => 4, maxBytes: 1e9, fetch })
  const first = numbers.next()
  for (let turn = 0; turn < 1000; turn++) await Promise.resolve()
  late.resolve(1)
  expect((await first).value).toBe(1)
  await expect(numbers.next()).rejects.toThrow('broken')
  expect(begun).toBe(4)
})

test('a synchronous error of a fetch is thrown in its place', async () => {
  const fetch = (number: number) => {
    if (number >= 7) throw new Error('broken')
    return new Promise<number>((resolve) => setImmediate(resolve, number))
  }
  const taken: number[] = []
  await expect(async () => {
    for await (const number of ordered({ width: () => 3, fetch })) taken.push(number)
  }).rejects.toThrow('broken')
  expect(taken).toEqual([1, 2, 3, 4, 5, 6])
})

test('a width of 0 fetches one at a time', async () => {
  expect(await all(ordered({ from: 1, to: 5, width: () => 0 }))).toEqual([1, 2, 3, 4, 5])
})

test('fetches under way are aborted when the iteration is left', async () => {
  const signals: AbortSignal[] = []
  const fetch = async (number: number, signal: AbortSignal) => {
    signals.push(signal)
    return number
  }
  for await (const number of ordered({ fetch })) if (number === 2) break
  expect(signals.length).toBeGreaterThanOrEqual(5)
  expect(signals.every((signal) => signal.aborted)).toBe(true)
})

test('an abort throws its reason instead of ending the iteration', async () => {
  const stop = new AbortController()
  const taken: number[] = []
  const read = async () => {
    for await (const number of ordered({ signal: stop.signal })) {
      taken.push(number)
      if (number === 4) stop.abort(new Error('stopped'))
    }
  }
  await expect(read()).rejects.toThrow('stopped')
  expect(taken).toEqual([1, 2, 3, 4])
})

test('an empty range yields nothing', async () => {
  const fetch = () => Promise.reject(new Error('not asked for'))
  expect(await all(ordered({ from: 5, to: 4, fetch }))).toEqual([])
})

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = []
  for await (const item of items) taken.push(item)
  return taken
}
