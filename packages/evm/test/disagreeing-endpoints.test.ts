import { describe, expect, test } from 'vitest'
import { quantity } from '../../testbed/chain/json-rpc.ts'
import { readBlocks } from '../src/index.ts'
import { asked, expectPublished, reverts, stopTheClock, untilLogged, useFakeNodes, warnings } from './fake-nodes.ts'
import { servesOtherBranch, stopsAt } from './node-faults.ts'
import { createRecordingSource } from './recording-source.ts'

const nodes = useFakeNodes()
const { settings, head, hashAt, hashes, published, stopsHere } = nodes

describe('the published blocks are kept', () => {
  test('against an endpoint that is far ahead on another branch, while another endpoint continues the published one', async () => {
    const { chain, first, second } = nodes
    const source = await published()
    const last = await head()
    const fork = last - 10
    first.fault = servesOtherBranch({ fork, ahead: 20, forkHash: await hashAt(fork) })
    const pass = stopTheClock()
    const reading = source.take(readBlocks(settings({ end: last + 3 }), source))
    for (let mined = 0; mined < 3; mined++) {
      await asked(second, 30)
      pass(50_000)
      await chain.mine(1)
    }
    await reading
    expect(reverts(source)).toEqual([])
    expectPublished(source, await hashes())
    const logged = warnings(source, 'endpoints disagree on the published blocks')
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain(`"holding":["${second.rpc}"],"elsewhere":["${first.rpc}"]`)
  })

  test('for one endpoint against two, while the chain pauses and all correct endpoints stand still', async () => {
    const { chain, first, second, third } = nodes
    const source = await published()
    const last = await head()
    const fork = last - 10
    first.fault = servesOtherBranch({ fork, ahead: 20, forkHash: await hashAt(fork) })
    const pass = stopTheClock()
    const rpc = [first, second, third].map(({ rpc }) => rpc)
    const reading = source.take(readBlocks(settings({ rpc, end: last + 2 }), source))
    await untilLogged(source, 'endpoints disagree on the published blocks')
    pass(70_000)
    await asked(first, 30)
    await chain.mine(2)
    await reading
    expect(reverts(source)).toEqual([])
    expectPublished(source, await hashes())
  })
})

describe('the published blocks are reverted', () => {
  test('once the only endpoint that has them has stopped for a minute far below the others', async () => {
    const { chain, first } = nodes
    const source = await published()
    const last = await head()
    first.fault = await stopsHere(4)
    await chain.reorganise(3)
    await chain.mine(20, { transactions: 0 })
    const pass = stopTheClock()
    const reading = source.take(readBlocks(settings({ end: last + 20 }), source))
    await asked(first, 10)
    pass(10_000)
    await untilLogged(source, 'endpoints disagree on the published blocks')
    await asked(first, 10)
    expect(source.steps).toEqual([])
    pass(60_000)
    await reading
    expect(reverts(source)).toEqual([last - 3])
    expectPublished(source, await hashes())
  })

  test('if their endpoint still returns them, but continues from another block', async () => {
    const { chain, first } = nodes
    const source = await published()
    const last = await head()
    await chain.mine(1)
    const otherBranch = servesOtherBranch({ fork: last })
    first.fault = (call) => (Number(call.params[0]) === last + 1 ? otherBranch(call) : undefined)
    await source.take(readBlocks(settings({ rpc: first.rpc, end: last + 1 }), source))
    await chain.mine(1)
    await source.take(readBlocks(settings({ end: last + 2 }), source))
    expect(reverts(source)).toEqual([last])
    expectPublished(source, await hashes())
  })
})

describe('an endpoint that is behind', () => {
  test('is not awaited again with each block, and finality is requested elsewhere', async () => {
    const { chain, first } = nodes
    const source = await published()
    const last = await head()
    const stops = stopsAt(last)
    first.fault = (call) => (call.params[0] === 'finalized' ? { params: [quantity(10), false] } : stops(call))
    await chain.mine(3)
    const pass = stopTheClock()
    const blocks = readBlocks(settings(), source)
    const reading = source.take(blocks, 5)
    await asked(first, 10)
    pass(10_000)
    await untilLogged(source, 'is behind others')
    await chain.mine(2)
    const steps = await reading
    expect(steps.map(({ checkpoint }) => checkpoint.number)).toEqual([1, 2, 3, 4, 5].map((more) => last + more))
    expect(steps.at(-1)!.final!.number).toBeGreaterThan(10)
    expect(warnings(source, 'is behind others')).toHaveLength(1)
    source.stop()
    await expect(source.take(blocks)).rejects.toThrow()
  })

  test('does not vote on the first block', async () => {
    nodes.first.fault = stopsAt(10)
    const source = createRecordingSource()
    const pass = stopTheClock()
    const reading = source.take(readBlocks(settings({ start: 50, end: 60 }), source))
    await untilLogged(source, 'below the first block')
    pass(10_000)
    await reading
    expect(source.steps.map(({ checkpoint }) => checkpoint.hash)).toEqual((await hashes()).slice(50, 61))
  })
})
