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

/** Makes so many calls, as many side by side as the endpoint is thought to bear. */
async function ask(calls: number): Promise<void> {
  await Promise.all(Array.from({ length: calls }, () => fetchHeader(rpc, 0, never)))
}

describe('an endpoint that asks to wait', () => {
  test.each<[string, () => { header: string; until: number }]>([
    ['seconds', () => ({ header: '1', until: Date.now() + 1000 })],
    [
      'a date',
      () => {
        // Dates have whole seconds.
        const header = new Date(Date.now() + 1500).toUTCString()
        return { header, until: Date.parse(header) }
      },
    ],
  ])('with %s gets no request during the pause', async (_, after) => {
    await ask(1)
    let until: number | undefined
    let onTheirWay = 0
    const early: number[] = []
    node.fault = () => {
      const now = Date.now()
      if (until === undefined) {
        const closed = after()
        // Clocks tick in whole ms.
        until = closed.until - 5
        // What was sent before the refusal is not early.
        onTheirWay = rpc.health()[0]!.running - 1
        return { status: 429, headers: { 'retry-after': closed.header }, body: '{}' }
      }
      if (now < until && onTheirWay-- <= 0) early.push(until - now)
      return undefined
    }
    await ask(20)
    expect(until).toBeDefined()
    expect(early).toEqual([])
  })
})

describe('the number of concurrent requests', () => {
  /** Bears so many at once, each for a while, and refuses more. */
  function bears(most: number): void {
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
    bears(32)
    await ask(200)
    const grown = limit()
    expect(grown).toBeGreaterThan(first)
    bears(3)
    await ask(60)
    const shrunk = limit()
    expect(shrunk).toBeLessThan(grown)
    expect(shrunk).toBeLessThanOrEqual(4)
    bears(32)
    await ask(150)
    expect(limit()).toBeGreaterThan(shrunk)
    expect(rpc.health()).toMatchObject([{ state: 'serving', running: 0, answers: 410 }])
    expect(rpc.health()[0]!.failures.overloaded).toBeGreaterThan(0)
  })

  test.each<[string, Fault]>([
    ['an answer that does not come in time', { result: () => new Promise(() => {}) }],
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
