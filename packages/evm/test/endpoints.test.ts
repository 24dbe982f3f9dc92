import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { type FakeNode, type Fault, startFakeNode } from '../../testbed/chain/fake-node.ts'
import { call, quantity } from '../../testbed/chain/json-rpc.ts'
import { createServedBlocks } from '../../testbed/chain/served-blocks.ts'
import { speedUpTime } from '../../testbed/fast-time.ts'
import { freePorts } from '../../testbed/kafka/free-ports.ts'
import { createRandom } from '../../testbed/random.ts'
import { BlockUnavailableError, type EvmSettings, readBlocks } from '../src/index.ts'
import { blockSettings } from './block-settings.ts'
import { servesOtherBranch, stopsAt } from './node-faults.ts'
import { createRecordingSource, type RecordingSource } from './recording-source.ts'

const blocks = 60
let chain: Chain
/** They answer as the chain does until a test sets a fault. */
let nodes: FakeNode[]

beforeAll(async () => {
  chain = await startChain()
  await chain.mine(blocks, { transactions: 2 })
})
afterAll(() => chain?.stop())
beforeEach(async () => {
  nodes = await Promise.all([1, 2, 3].map(() => startFakeNode(chain.rpc)))
})
afterEach(() => Promise.all(nodes.map((node) => node.close())))

const settings = (changes?: Partial<EvmSettings>): EvmSettings =>
  blockSettings(
    nodes.map(({ rpc }) => rpc),
    changes,
  )

/** Expects the node's chain from `first` on, without a revert. */
async function expectRead(source: RecordingSource, first: number): Promise<void> {
  const served = createServedBlocks(chain.rpc)
  const hashes = served.chainOf(await served.note())
  expect(source.steps.map(({ checkpoint }) => checkpoint.hash)).toEqual(hashes.slice(first))
  expect(source.steps.filter(({ revertTo }) => revertTo !== undefined)).toEqual([])
}

/** A source that has published the whole chain. */
async function published(): Promise<RecordingSource> {
  const source = createRecordingSource()
  await source.take(readBlocks(settings({ rpc: chain.rpc, end: await head() }), source))
  return createRecordingSource(source.history())
}

const head = async () => Number((await createServedBlocks(chain.rpc).note()).number)
/** Number of requests to a node for whole blocks, and for the head. */
const asks = ({ calls }: FakeNode) => ({
  blocks: calls.filter(({ method, params: [, isWhole] }) => method === 'eth_getBlockByNumber' && isWhole).length,
  heads: calls.filter(({ params: [name] }) => name === 'latest').length,
})
/** Resolves after a number of further requests to a node for its head. */
const looks = async (node: FakeNode, count: number) => {
  const before = asks(node).heads
  await expect.poll(() => asks(node).heads, { timeout: 30_000 }).toBeGreaterThanOrEqual(before + count)
}

describe('of several endpoints', () => {
  test('only the first one serves heads and blocks while it answers', async () => {
    const source = createRecordingSource()
    await source.take(readBlocks(settings({ start: blocks, end: blocks }), source))
    expect(nodes.map((node) => asks(node).heads > 0)).toEqual([true, false, false])
    expect(nodes.map((node) => asks(node).blocks > 0)).toEqual([true, false, false])
  })

  test('the next one is used while the first one fails', async () => {
    const source = createRecordingSource()
    let fails = true
    nodes[0]!.fault = () => (fails ? { status: 502 } : undefined)
    const steps = readBlocks(settings({ start: blocks - 1 }), source)
    await source.take(steps, 1)
    expect(asks(nodes[1]!).blocks).toBeGreaterThan(0)
    fails = false
    const following = source.take(steps)
    await looks(nodes[0]!, 2)
    expect(asks(nodes[2]!)).toEqual({ blocks: 0, heads: 0 })
    source.stop()
    await expect(following).rejects.toThrow()
  })

  test('one that answers is enough', async () => {
    speedUpTime()
    const ports = await freePorts(2)
    const unreachable = ports.map((port) => `http://127.0.0.1:${port}/v1/k3y-0123456789abcdef`)
    const source = createRecordingSource()
    await source.take(readBlocks(settings({ rpc: [...unreachable, nodes[0]!.rpc], end: await head() }), source))
    await expectRead(source, 0)
    expect(source.logged.join('')).not.toContain('k3y')
  })

  test('together read the whole chain while all but one refuse, answer wrongly and lag at random', async () => {
    const random = createRandom(7)
    const faults: ((call: Parameters<FakeNode['fault']>[0]) => Fault | undefined)[] = [
      () => ({ status: 429, headers: { 'retry-after': '0' } }),
      () => ({ body: '{"error":{"code":-32000,"message":"header not found"}}' }),
      ({ params: [name] }) => (name === 'latest' ? undefined : { result: () => null }),
      ({ method, params: [name, whole] }) =>
        method === 'eth_getBlockByNumber' && Number(name) > 0
          ? { params: [`0x${(Number(name) - 1).toString(16)}`, whole] }
          : undefined,
      servesOtherBranch({ fork: 30 }),
      stopsAt(20),
    ]
    let strikes = 0
    for (const node of nodes.slice(0, 2))
      node.fault = (call) => {
        const fault = random.integer(3) === 0 ? random.pick(faults)(call) : undefined
        if (fault) strikes++
        return fault
      }
    const source = createRecordingSource()
    await source.take(readBlocks(settings({ end: await head() }), source))
    await expectRead(source, 0)
    expect(strikes).toBeGreaterThan(0)
  })
})

describe('an endpoint', () => {
  test('on a branch of its own causes no revert while another has the branch that was published', async () => {
    const source = await published()
    const first = (await head()) + 1
    nodes[0]!.fault = servesOtherBranch({ fork: first - 10 })
    const reading = source.take(readBlocks(settings({ end: first + 4 }), source))
    await looks(nodes[0]!, 5)
    await chain.mine(5)
    await reading
    await expectRead(source, first)
  })

  test('that lags behind what was published causes no revert', async () => {
    const source = await published()
    const first = (await head()) + 1
    nodes[0]!.fault = stopsAt(first - 20)
    const reading = source.take(readBlocks(settings({ end: first + 1 }), source))
    await looks(nodes[0]!, 5)
    await chain.mine(2)
    await looks(nodes[0]!, 5)
    nodes[0]!.fault = () => undefined
    await reading
    await expectRead(source, first)
  })

  test('that stays behind for long is not waited for', async () => {
    speedUpTime()
    const source = await published()
    const first = (await head()) + 1
    nodes[0]!.fault = stopsAt(first - 1)
    await chain.mine(4)
    await source.take(readBlocks(settings({ end: first + 3 }), source))
    await expectRead(source, first)
    expect(source.logged.join('')).toContain('is behind others')
  })

  test('that reports a head whose blocks no endpoint has is ignored', async () => {
    speedUpTime()
    const source = await published()
    const first = (await head()) + 1
    nodes[0]!.fault = ({ params: [name] }) =>
      name === 'latest' ? { result: (block) => ({ ...(block as object), number: quantity(first + 1000) }) } : undefined
    const reading = source.take(readBlocks(settings({ end: first + 1 }), source))
    await looks(nodes[1]!, 2)
    await chain.mine(2)
    await reading
    await expectRead(source, first)
  })

  test('that is the only one and has no old blocks fails the source', async () => {
    const source = createRecordingSource()
    nodes[0]!.fault = ({ params: [name] }) => (Number(name) <= 5 ? { result: () => null } : undefined)
    const reading = source.take(readBlocks(settings({ rpc: nodes[0]!.rpc, start: 5 }), source))
    await expect(reading).rejects.toThrow(BlockUnavailableError)
  })

  test('that has stopped on a branch that no other has does not block the others', async () => {
    const source = await published()
    const left = await head()
    nodes[2]!.fault = stopsAt(left)
    const stale = new Map<number, unknown>()
    for (let number = left - 3; number <= left; number++)
      stale.set(number, await call(chain.rpc, 'eth_getBlockByNumber', [quantity(number), true]))
    await chain.reorganise(3)
    await chain.mine(20)
    const stops = stopsAt(left)
    nodes[2]!.fault = (asked) => {
      const number = asked.params[0] === 'latest' ? left : Number(asked.params[0])
      const isStale = asked.method === 'eth_getBlockByNumber' && stale.has(number)
      return isStale ? { result: () => stale.get(number) } : stops(asked)
    }
    await source.take(readBlocks(settings({ end: left + 20 }), source))
    const served = createServedBlocks(chain.rpc)
    const hashes = served.chainOf(await served.note())
    expect(source.history().map(({ hash }) => hash)).toEqual(hashes.reverse())
    expect(source.steps[0]!.revertTo).toMatchObject({ number: left - 3 })
  })

  test('of another chain than the published one is not used, and logged without its key', async () => {
    const other = await startChain({ chainId: 4242 })
    try {
      const source = await published()
      const first = (await head()) + 1
      await chain.mine(3)
      const rpc = [`${other.rpc}/?key=k3y-0123456789abcdef`, nodes[1]!.rpc]
      await source.take(readBlocks(settings({ rpc, end: first + 2 }), source))
      await expectRead(source, first)
      expect(source.logged.join('')).toContain('chain 4242')
      expect(source.logged.join('')).not.toContain('k3y')
    } finally {
      await other.stop()
    }
  })

  test('of another chain than the others is not used', async () => {
    const other = await startChain({ chainId: 4242 })
    try {
      const source = createRecordingSource()
      const last = await head()
      // The other endpoints get the requests for odd blocks.
      nodes[0]!.fault = ({ params: [name] }) => (Number(name) % 2 === 1 ? { status: 500 } : undefined)
      const rpc = [nodes[0]!.rpc, other.rpc, nodes[1]!.rpc]
      await source.take(readBlocks(settings({ rpc, end: last }), source))
      await expectRead(source, 0)
      expect(source.logged.join('')).toContain('serves chain 4242')
    } finally {
      await other.stop()
    }
  })
})
