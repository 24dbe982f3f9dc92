import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { type FakeNode, type Fault, startFakeNode } from '../../testbed/chain/fake-node.ts'
import { fetchHeader } from '../src/block/fetch-block.ts'
import { createRpc, type Rpc } from '../src/rpc/rpc.ts'

let chain: Chain
let node: FakeNode
let rpc: Rpc
const never = new AbortController().signal

beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain?.stop())
beforeEach(async () => {
  node = await startFakeNode(chain.rpc)
  rpc = createRpc({ rpc: node.rpc, log: pino({ level: 'silent' }) })
})
afterEach(async () => {
  await rpc.close()
  await node.close()
})

/** Makes `calls` calls, as many concurrently as the current limit of the endpoint allows. */
async function ask(calls: number): Promise<void> {
  await Promise.all(Array.from({ length: calls }, () => fetchHeader(rpc, 0, never)))
}

describe('an endpoint that requests a pause', () => {
  test.each<[string, () => { header: string; until: number }]>([
    ['of seconds', () => ({ header: '1', until: Date.now() + 1000 })],
    [
      'up to a date',
      () => {
        // Dates have whole seconds.
        const header = new Date(Date.now() + 1500).toUTCString()
        return { header, until: Date.parse(header) }
      },
    ],
  ])('%s gets no request during it', async (_, after) => {
    await ask(1)
    let until: number | undefined
    let inFlight = 0
    const early: number[] = []
    node.fault = () => {
      const now = Date.now()
      if (until === undefined) {
        const closed = after()
        // Clocks tick in whole ms.
        until = closed.until - 5
        // Requests that were sent before the refusal are not early.
        inFlight = rpc.health()[0]!.running - 1
        return { status: 429, headers: { 'retry-after': closed.header }, body: '{}' }
      }
      if (now < until && inFlight-- <= 0) early.push(until - now)
      return undefined
    }
    await ask(20)
    expect(until).toBeDefined()
    expect(early).toEqual([])
  })
})

describe('the number of concurrent requests', () => {
  /** The node answers `most` concurrent requests, each after 5 ms, and refuses more. */
  function allowConcurrent(most: number): void {
    let running = 0
    node.fault = () => {
      if (running >= most) return { status: 429, headers: { 'retry-after': '0' }, body: '{}' }
      running++
      return {
        async result(result) {
          await delay(5)
          running--
          return result
        },
      }
    }
  }
  const limit = () => rpc.health()[0]!.limit
  const times = (most: number, fault: Fault) => {
    let left = most
    return () => (left-- > 0 ? fault : undefined)
  }

  test('grows while the endpoint answers well, shrinks when it refuses, and grows again', async () => {
    const first = rpc.width
    allowConcurrent(32)
    await ask(200)
    const grown = limit()
    expect(grown).toBeGreaterThan(first)
    allowConcurrent(3)
    await ask(60)
    const shrunk = limit()
    expect(shrunk).toBeLessThan(grown)
    expect(shrunk).toBeLessThanOrEqual(4)
    allowConcurrent(32)
    await ask(150)
    expect(limit()).toBeGreaterThan(shrunk)
    expect(rpc.health()).toMatchObject([{ state: 'serving', running: 0, answers: 410 }])
    expect(rpc.health()[0]!.failures.overloaded).toBeGreaterThan(0)
  })

  test.each<[string, Fault]>([
    ['an answer that does not arrive in time', { result: () => new Promise(() => {}) }],
    ['an answer too large, by status', { status: 413 }],
    ['an answer too large, by error', { body: '{"error":{"code":-32008,"message":"Response is too big"}}' }],
  ])('is halved by %s', async (_, fault) => {
    await rpc.close()
    rpc = createRpc({ rpc: node.rpc, timeout: 0.5, log: pino({ level: 'silent' }) })
    await ask(40)
    const grown = limit()
    node.fault = times(1, fault)
    await ask(1)
    expect(rpc.health()).toMatchObject([{ limit: Math.floor(grown / 2), failures: { overloaded: 1, unavailable: 0 } }])
  })
})
