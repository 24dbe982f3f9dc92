import { describe, expect, test } from 'vitest'
import type { Call, FakeNode } from '../../testbed/chain/fake-node.ts'
import { quantity } from '../../testbed/chain/json-rpc.ts'
import { RpcOverloadedError, readBlocks } from '../src/index.ts'
import { expectPublished, reverts, stopTheClock, untilLogged, useFakeNodes } from './fake-nodes.ts'
import { stopsAt } from './node-faults.ts'

const nodes = useFakeNodes()
const { settings, head, hashes, published, stopsHere } = nodes

describe('a source whose last block was published ends', () => {
  test('if that block is canonical after all', async () => {
    const { chain, first, second } = nodes
    const source = await published()
    const last = await head()
    const before = await hashes()
    const stale = await stopsHere(4)
    await chain.reorganise(3)
    // Both endpoints switch to the stale branch after the first request for the head.
    let isStale = false
    first.fault = (call) => {
      if (isStale) return stale(call)
      isStale = call.params[0] === 'latest'
      return undefined
    }
    second.fault = (call) => (isStale ? stale(call) : undefined)
    expect(await source.take(readBlocks(settings({ end: last }), source))).toEqual([])
    expect(isStale).toBe(true)
    expectPublished(source, before)
  })

  test('only when it has determined whether that block is canonical, although an endpoint fails', async () => {
    const { chain, first, second } = nodes
    const source = await published()
    const last = await head()
    const stale = await stopsHere(4)
    await chain.reorganise(3)
    const forked = ({ method, params: [name, isWhole] }: Call) =>
      method === 'eth_getBlockByNumber' && isWhole === true && name === quantity(last - 2)
    // The first block of the new branch is missing at first, and then one of two endpoints is unavailable.
    const lags = (times: number): FakeNode['fault'] => {
      let left = times
      return (call) => (forked(call) && left-- > 0 ? stale(call) : undefined)
    }
    first.fault = lags(2)
    const lagsOnce = lags(1)
    let isUnavailable = false
    second.fault = (call) => {
      if (isUnavailable) return { status: 502 }
      const fault = lagsOnce(call)
      isUnavailable = fault !== undefined
      return fault
    }
    stopTheClock()
    await source.take(readBlocks(settings({ end: last }), source))
    expect(isUnavailable).toBe(true)
    expect(reverts(source)).toEqual([last - 3])
    expectPublished(source, await hashes())
  })

  test('if all endpoints have stopped below that block for a minute', async () => {
    const source = await published()
    const last = await head()
    nodes.first.fault = nodes.second.fault = stopsAt(last - 5)
    const pass = stopTheClock()
    const reading = source.take(readBlocks(settings({ end: last }), source))
    await untilLogged(source, 'no endpoint has the newest published block')
    pass(60_000)
    expect(await reading).toEqual([])
  })

  test('with the failure of the endpoints if none has answered for a minute', async () => {
    const { first, second } = nodes
    const source = await published()
    const isAsked = (call: Call) => call.method === 'eth_getBlockByNumber'
    for (const node of [first, second])
      node.fault = (call) => (isAsked(call) ? { status: 429, headers: { 'retry-after': '3600' } } : undefined)
    const pass = stopTheClock()
    const reading = source.take(readBlocks(settings({ end: await head() }), source))
    const failing = expect(reading).rejects.toThrow(RpcOverloadedError)
    await untilLogged(source, 'no endpoint has the newest published block')
    pass(60_000)
    await failing
  })
})
