import { describe, expect, test } from 'vitest'
import { readBlocks } from '../src/index.ts'
import { asked, expectPublished, reverts, stopTheClock, untilLogged, useFakeNodes, warnings } from './fake-nodes.ts'
import { servesOtherBranch } from './node-faults.ts'

const nodes = useFakeNodes()
const { settings, head, hashes, published } = nodes

describe('the published blocks are kept', () => {
  test('while an endpoint that backs off has not answered', async () => {
    const { chain, first, second } = nodes
    const source = await published()
    const last = await head()
    first.fault = () => ({ status: 429, headers: { 'retry-after': '2' } })
    second.fault = servesOtherBranch({ fork: last - 9 })
    const reading = source.take(readBlocks(settings({ end: last + 2 }), source))
    await untilLogged(source, 'not all endpoints report whether')
    expect(warnings(source, 'not all endpoints report whether')[0]).toContain(`"silent":["${first.rpc}"]`)
    first.fault = () => undefined
    await chain.mine(2)
    await reading
    expect(reverts(source)).toEqual([])
    expectPublished(source, await hashes())
  })

  test('when the endpoint that has them fails once, however long another has contradicted it', async () => {
    const { chain, first, second } = nodes
    const source = await published()
    const last = await head()
    first.fault = servesOtherBranch({ fork: last - 10 })
    const pass = stopTheClock()
    const reading = source.take(readBlocks(settings({ end: last + 2 }), source))
    await untilLogged(source, 'endpoints disagree on the published blocks')
    pass(70_000)
    await asked(second, 10)
    let requests = 0
    second.fault = () => (requests++ === 0 ? { status: 502 } : undefined)
    await asked(first, 30)
    expect(requests).toBeGreaterThan(0)
    pass(1000)
    await chain.mine(2)
    await reading
    expect(reverts(source)).toEqual([])
    expectPublished(source, await hashes())
  })
})

describe('the published blocks are reverted', () => {
  test('without the vote of an endpoint that has not answered for a minute', async () => {
    const { chain, first, second } = nodes
    const source = await published()
    const last = await head()
    first.fault = () => ({ status: 502 })
    await chain.reorganise(3)
    await chain.mine(1)
    const pass = stopTheClock()
    const reading = source.take(readBlocks(settings({ end: last + 1 }), source))
    await untilLogged(source, 'not all endpoints report whether')
    await asked(second, 10)
    expect(source.steps).toEqual([])
    pass(60_000)
    await reading
    expect(reverts(source)).toEqual([last - 3])
    expectPublished(source, await hashes())
  })
})
