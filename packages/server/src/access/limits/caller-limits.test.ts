import { expect, test } from 'vitest'
import type { RefusedError } from '../../errors.ts'
import type { Caller } from './caller.ts'
import { createCallerLimits, type RateHeaders } from './caller-limits.ts'
import { createLocalLimits } from './local-limits.ts'

const key: Caller = { by: 'key', id: 'one', rate: 100, burst: 200, connections: 3 }

function limitsAt({
  connections = 1000,
  clock,
}: {
  readonly connections?: number
  readonly clock?: () => number
} = {}) {
  const time = { now: 0 }
  const limits = createCallerLimits({ store: createLocalLimits(clock ?? (() => time.now)), connections })
  return { time, limits }
}

/** The code of the refusal; `undefined`: the call is accepted. */
function refusalOf(call: () => unknown): string | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    return (error as RefusedError).code
  }
}

test('a key may send exactly 200 requests at once and 100 a second', () => {
  const { limits, time } = limitsAt()
  const served = () => {
    let count = 0
    while (refusalOf(() => limits.takeRequest(key)) === undefined) count++
    return count
  }
  expect(served()).toBe(200)
  let total = 0
  for (let n = 0; n < 1000; n++) {
    time.now += 10
    const count = served()
    expect(count).toBeLessThanOrEqual(1 + 1)
    total += count
  }
  expect(total).toBeGreaterThanOrEqual(999)
  expect(total).toBeLessThanOrEqual(1000)
  time.now += 3_600_000
  expect(served()).toBe(200)
})

test('each response names the remaining requests and the time until the limit is reset', () => {
  const { limits, time } = limitsAt()
  expect(limits.takeRequest(key)).toEqual({ 'ratelimit-policy': '"key";q=200;w=2', ratelimit: '"key";r=199;t=1' })
  for (let n = 0; n < 199; n++) limits.takeRequest(key)
  const refused = (() => {
    try {
      limits.takeRequest(key)
    } catch (error) {
      return error as RefusedError
    }
  })()!
  expect(refused.headers).toEqual({
    ...{ 'ratelimit-policy': '"key";q=200;w=2', ratelimit: '"key";r=0;t=2', 'retry-after': '1' },
  })
  time.now += 1000 * Number(refused.headers['retry-after'])
  expect(refusalOf(() => limits.takeRequest(key))).toBeUndefined()
})

test('a refusal names a wait of at least a second', () => {
  let now = 0
  const { limits } = limitsAt({ clock: () => (now += 600) })
  const slow = { ...key, rate: 1, burst: 1 }
  limits.takeRequest(slow)
  const headers = { 'retry-after': '1', ratelimit: '"key";r=0;t=1' }
  expect(() => limits.takeRequest(slow)).toThrow(expect.objectContaining({ headers: expect.objectContaining(headers) }))
})

test('requests that are refused do not extend the wait', () => {
  const { limits, time } = limitsAt()
  for (let n = 0; n < 200; n++) limits.takeRequest(key)
  let served = 0
  for (let n = 0; n < 10_000; n++) {
    time.now++
    if (refusalOf(() => limits.takeRequest(key)) === undefined) served++
  }
  expect(served).toBeGreaterThanOrEqual(999)
})

test('other limits apply at once, and what was used before still counts', () => {
  const { limits } = limitsAt()
  const remaining = (limits: RateHeaders | Promise<RateHeaders>) =>
    /r=(\d+)/.exec((limits as RateHeaders).ratelimit!)![1]
  for (let n = 0; n < 100; n++) limits.takeRequest(key)
  expect(remaining(limits.takeRequest({ ...key, burst: 300 }))).toBe('199')
  expect(remaining(limits.takeRequest({ ...key, burst: 102 }))).toBe('0')
  expect(refusalOf(() => limits.takeRequest({ ...key, burst: 50 }))).toBe('rate_limited')
})

test('connections are limited per key and in total, and count until they are closed', () => {
  const { limits } = limitsAt({ connections: 4 })
  const open = (caller: Caller) => limits.openConnection(caller) as () => void
  const closes = Array.from({ length: 3 }, () => open(key))
  expect(refusalOf(() => open(key))).toBe('connection_limit')
  const other = { ...key, id: 'two' }
  const close = open(other)
  expect(refusalOf(() => open(other))).toBe('overloaded')
  close()
  close()
  const again = open(other)
  expect(refusalOf(() => open(other))).toBe('overloaded')
  for (const close of [...closes, again]) close()
  expect(refusalOf(() => open(key))).toBeUndefined()
})
