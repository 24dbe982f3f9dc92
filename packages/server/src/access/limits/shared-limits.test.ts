import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Caller } from './caller.ts'
import { createLeasedLimits, type LeasedLimits } from './leased-limits.ts'
import type { Opened, Taken } from './limit-store.ts'
import { createSharedLimits } from './shared-limits.ts'
import { createTokenBucket, fill } from './token-bucket.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Refills so slowly that time does not matter. */
const caller: Caller = { by: 'key', id: 'one', rate: 0.001, burst: 50, connections: 5 }

interface Gateway extends LeasedLimits {
  die(): void
}

/** Gateways and the process that keeps their limits. Each message takes a random time, and they keep their order. */
function startGateways(count: number, options: { readonly answerMs?: number } = {}) {
  const shared = createSharedLimits()
  const sent = { messages: 0 }
  const add = (): Gateway => {
    let isAlive = true
    const channel = <Message>(receive: (message: Message) => void) => {
      let last = Promise.resolve()
      return (message: Message) => {
        sent.messages++
        const delivered = last.then(() => new Promise<void>((resolve) => setTimeout(resolve, Math.random() * 3)))
        last = delivered.then(() => {
          if (isAlive) receive(JSON.parse(JSON.stringify(message)))
        })
      }
    }
    const member = shared.join(channel((message) => leased.receive(message)))
    const leased = createLeasedLimits({ send: channel((message) => member.receive(message)), ...options })
    return {
      ...leased,
      die() {
        isAlive = false
        leased.close()
        member.leave()
      },
    }
  }
  return { gateways: Array.from({ length: count }, add), sent, add }
}

/** Resolves while the fake time runs. */
async function settled<T>(calls: readonly (T | Promise<T>)[], ms = 100): Promise<T[]> {
  const all = Promise.all(calls)
  await vi.advanceTimersByTimeAsync(ms)
  return all
}

const allowed = (taken: readonly Taken[]) => taken.filter(({ isAllowed }) => isAllowed).length
const some = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!

describe('gateways with shared limits', () => {
  // With the higher rate, gateways lease tokens ahead, which others then need.
  test.each([
    { rate: 0.001, burst: 50 },
    { rate: 100, burst: 180 },
  ])('allow exactly the burst of 200 requests in parallel, at %j', async (limits) => {
    for (let round = 0; round < 20; round++) {
      const { gateways } = startGateways(4)
      const began = performance.now()
      const requests = (count: number) =>
        Array.from({ length: count }, () => some(gateways).takeRequest({ ...caller, ...limits }))
      const before = await settled(requests(5), 20)
      const taken = allowed([...before, ...(await settled(requests(200), 40))])
      expect(taken).toBeGreaterThanOrEqual(limits.burst)
      expect(taken).toBeLessThanOrEqual(limits.burst + (limits.rate * (performance.now() - began)) / 1000)
      if (limits.rate >= 1) continue
      const [refused] = await settled(requests(1))
      expect(refused).toMatchObject({ isAllowed: false, remaining: 0 })
      expect(refused!.secondsUntilNext).toBeGreaterThan(990)
    }
  })

  test('allow the whole burst at one of them, and few requests wait', async () => {
    const { gateways, sent } = startGateways(4)
    const taken: Taken[] = []
    let waited = 0
    for (let n = 0; n < 60; n++) {
      const one = gateways[0]!.takeRequest(caller)
      if (one instanceof Promise) waited++
      taken.push((await settled([one], 10))[0]!)
    }
    expect(allowed(taken)).toBe(50)
    expect(taken.map(({ isAllowed }) => isAllowed).lastIndexOf(true)).toBe(49)
    expect(taken[0]!.remaining).toBeLessThanOrEqual(49)
    // With this rate, nothing is leased ahead: each allowed request asks once. Refused ones do not ask.
    expect(waited).toBeLessThanOrEqual(52)
    const fast = { ...caller, id: 'fast', rate: 1000, burst: 1000 }
    const { messages } = sent
    for (let n = 0; n < 400; n++) {
      const one = gateways[1]!.takeRequest(fast)
      if (one instanceof Promise) await settled([one], 10)
    }
    await settled([])
    expect(sent.messages - messages).toBeLessThan(20)
  })

  test('allow the rate in sum, not less and not more, while all of them want more', async () => {
    const { gateways } = startGateways(3)
    const busy = { ...caller, rate: 100, burst: 20 }
    const calls: (Taken | Promise<Taken>)[] = []
    for (let n = 0; n < 4000; n++) {
      calls.push(some(gateways).takeRequest(busy))
      await vi.advanceTimersByTimeAsync(1)
    }
    const count = allowed(await settled(calls))
    expect(count).toBeLessThanOrEqual(20 + 400)
    // A token that arrives waits for a request, an answer and the request after it.
    expect(count).toBeGreaterThanOrEqual(20 + 400 * 0.9)
  })

  test('return the tokens that they did not use', async () => {
    const { gateways } = startGateways(2)
    const fast = { ...caller, rate: 200, burst: 100 }
    await settled([gateways[0]!.takeRequest(fast)], 1000)
    expect(
      allowed(
        await settled(
          Array.from({ length: 150 }, () => gateways[1]!.takeRequest(fast)),
          5,
        ),
      ),
    ).toBe(100)
  })

  test('count connections together, and give back those of one that dies', async () => {
    const { gateways } = startGateways(3)
    const opened = await settled(Array.from({ length: 9 }, (_, n) => gateways[n % 3]!.openConnection(caller)))
    const open = opened.filter(({ close }) => close)
    expect(open).toHaveLength(5)
    expect(opened.find(({ close }) => !close)).toEqual({ others: 5 })
    const closed = open[4]!
    closed.close!()
    closed.close!()
    await settled([])
    const counts = async (gateway: Gateway, count: number): Promise<readonly Opened[]> =>
      settled(Array.from({ length: count }, () => gateway.openConnection(caller)))
    const more = await counts(gateways[2]!, 2)
    expect(more.map(({ close }) => close !== undefined)).toEqual([true, false])
    gateways[0]!.die()
    const ofDead = opened.filter((one, n) => n % 3 === 0 && one.close && one !== closed)
    expect((await counts(gateways[1]!, 5)).filter(({ close }) => close)).toHaveLength(ofDead.length)
  })

  test('lose the tokens of one that dies once, and do not wait for it', async () => {
    const { gateways } = startGateways(2)
    const fast = { ...caller, rate: 40, burst: 40 }
    // Leases 10 tokens ahead.
    await settled([gateways[0]!.takeRequest(fast)], 20)
    const calls = Array.from({ length: 60 }, () => gateways[1]!.takeRequest(fast))
    gateways[0]!.die()
    const count = allowed(await settled(calls, 20))
    expect(count).toBeGreaterThanOrEqual(29)
    expect(count).toBeLessThanOrEqual(39 + 2)
    await settled([], 2000)
    expect(
      allowed(
        await settled(
          Array.from({ length: 60 }, () => gateways[1]!.takeRequest(fast)),
          20,
        ),
      ),
    ).toBe(40)
  })

  test('apply other limits from the next request on', async () => {
    const { gateways } = startGateways(2)
    const calls = (limits: Partial<Caller>) =>
      settled(Array.from({ length: 100 }, (_, n) => gateways[n % 2]!.takeRequest({ ...caller, ...limits })))
    expect(allowed(await calls({}))).toBe(50)
    expect(allowed(await calls({ burst: 80 }))).toBe(30)
    expect(allowed(await calls({ burst: 10 }))).toBe(0)
  })
})

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ take: fc.constantFrom(1, 5, 60), at: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ wait: fc.constantFrom(5, 50, 200, 400) }) },
  { weight: 1, arbitrary: fc.record({ die: fc.constant(true), at: fc.nat(2) }) },
)

test('whatever gateways do and whenever they die, a caller never gets more than its bucket has, and later all of it', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const { gateways, add } = startGateways(3)
    const limited = { ...caller, rate: 50, burst: 40 }
    // A bucket from which each request takes its token when it is allowed.
    const bucket = createTokenBucket(limited, performance.now())
    let lowest = bucket.tokens
    const take = async (gateway: Gateway) => {
      const { isAllowed } = await gateway.takeRequest(limited)
      if (!isAllowed) return
      fill(bucket, performance.now())
      bucket.tokens--
      lowest = Math.min(lowest, bucket.tokens)
    }
    for (const each of steps) {
      if ('wait' in each) await vi.advanceTimersByTimeAsync(each.wait)
      else if ('die' in each) {
        gateways[each.at]!.die()
        gateways[each.at] = add()
      } else for (let n = 0; n < each.take; n++) void take(gateways[each.at]!)
      // An answer that is on its way comes some ms after its token has left the bucket.
      expect(lowest).toBeGreaterThanOrEqual(-1)
    }
    await settled([], 2000)
    const last = Array.from({ length: 60 }, () => some(gateways).takeRequest(limited))
    const count = allowed(await settled(last, 40))
    expect(count).toBeGreaterThanOrEqual(40)
    expect(count).toBeLessThanOrEqual(40 + 2)
    for (const gateway of gateways) gateway.die()
  })
  await fc.assert(property, { numRuns: 50, endOnFailure: true })
})

test('without an answer in time, requests are refused, and a connection that is opened later is closed', async () => {
  const sent: unknown[] = []
  const leased = createLeasedLimits({ send: (message) => sent.push(message), answerMs: 100 })
  const refused = [leased.takeRequest(caller), leased.openConnection(caller)].map((call) =>
    expect(call).rejects.toMatchObject({ code: 'overloaded', status: 503 }),
  )
  await vi.advanceTimersByTimeAsync(200)
  await Promise.all(refused)
  leased.receive({ type: 'opened', request: 0, isAllowed: true, others: 0 })
  expect(sent.at(-1)).toEqual({ type: 'close', id: 'one' })
  leased.receive({ type: 'leased', id: 'one', tokens: 1, left: 0 })
  expect(leased.takeRequest(caller)).toMatchObject({ isAllowed: true, remaining: 0 })
})
