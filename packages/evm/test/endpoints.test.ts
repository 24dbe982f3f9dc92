import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { call, quantity } from '../../testbed/chain/json-rpc.ts'
import { createServedBlocks } from '../../testbed/chain/served-blocks.ts'
import { freePorts } from '../../testbed/kafka/free-ports.ts'
import { createRandom } from '../../testbed/random.ts'
import { BlockUnavailableError, type EvmSettings, readBlocks } from '../src/index.ts'
import { blockSettings } from './block-settings.ts'
import { type Fault, type FaultyNode, startFaultyNode } from './faulty-node.ts'
import { servesOtherBranch, stopsAt } from './lying-node.ts'
import { createRecordingSource, type RecordingSource } from './recording-source.ts'

const blocks = 120
let chain: Chain
/** Real doors before one chain: by default all do as it does. */
let doors: FaultyNode[]

beforeAll(async () => {
  chain = await startChain()
  await chain.mine(blocks, { transactions: 2 })
})
afterAll(() => chain?.stop())
beforeEach(async () => {
  doors = await Promise.all([1, 2, 3].map(() => startFaultyNode(chain.rpc)))
})
afterEach(() => Promise.all(doors.map((door) => door.close())))

const settings = (changes?: Partial<EvmSettings>): EvmSettings =>
  blockSettings(
    doors.map(({ rpc }) => rpc),
    changes,
  )

/** Expects that what stands is the node's chain from `first` on, and that nothing was taken back. */
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
/** How often a door was asked for a whole block, and for its head. */
const asks = ({ calls }: FaultyNode) => ({
  blocks: calls.filter(({ method, params: [, isWhole] }) => method === 'eth_getBlockByNumber' && isWhole).length,
  heads: calls.filter(({ params: [name] }) => name === 'latest').length,
})
/** Resolves when a door has been asked for so many more heads. */
const looks = async (door: FaultyNode, count: number) => {
  const before = asks(door).heads
  await expect.poll(() => asks(door).heads, { timeout: 30_000 }).toBeGreaterThanOrEqual(before + count)
}

describe('of several endpoints', () => {
  test('the first one is asked as long as it answers and has room, and all agree on the first block', async () => {
    const source = createRecordingSource()
    await source.take(readBlocks(settings({ start: blocks, end: blocks }), source))
    expect(doors.map((door) => asks(door).heads > 0)).toEqual([true, false, false])
    expect(doors.map((door) => asks(door).blocks > 0)).toEqual([true, false, false])
  })

  test('the next one takes over from one that fails, until that one is back', async () => {
    const source = createRecordingSource()
    let fails = true
    doors[0]!.fault = () => (fails ? { status: 502 } : undefined)
    const steps = readBlocks(settings({ start: blocks - 1 }), source)
    await source.take(steps, 1)
    expect(asks(doors[1]!).blocks).toBeGreaterThan(0)
    fails = false
    const following = source.take(steps)
    await looks(doors[0]!, 2)
    expect(asks(doors[2]!)).toEqual({ blocks: 0, heads: 0 })
    source.stop()
    await expect(following).rejects.toThrow()
  })

  test('one is enough', async () => {
    const ports = await freePorts(2)
    const dead = ports.map((port) => `http://127.0.0.1:${port}/v1/k3y-0123456789abcdef`)
    const source = createRecordingSource()
    await source.take(readBlocks(settings({ rpc: [...dead, doors[0]!.rpc], end: await head() }), source))
    await expectRead(source, 0)
    expect(source.logged.join('')).not.toContain('k3y')
  })

  test('all together read a chain whole while all but one refuse, lie and lag at random', async () => {
    const random = createRandom(7)
    const lies = servesOtherBranch({ fork: 60 })
    const faults: ((call: Parameters<FaultyNode['fault']>[0]) => Fault | undefined)[] = [
      () => ({ status: 429, headers: { 'retry-after': '0' } }),
      () => ({ body: '{"error":{"code":-32000,"message":"header not found"}}' }),
      ({ params: [name] }) => (name === 'latest' ? undefined : { result: () => null }),
      ({ method, params: [name, whole] }) =>
        method === 'eth_getBlockByNumber' && Number(name) > 0
          ? { params: [`0x${(Number(name) - 1).toString(16)}`, whole] }
          : undefined,
      lies,
      stopsAt(30),
    ]
    let strikes = 0
    // One that is well has the last word on what stands.
    for (const door of doors.slice(0, 2))
      door.fault = (call) => {
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
    doors[0]!.fault = servesOtherBranch({ fork: first - 10 })
    const reading = source.take(readBlocks(settings({ end: first + 4 }), source))
    await looks(doors[0]!, 5)
    await chain.mine(5)
    await reading
    await expectRead(source, first)
  })

  test('that lags behind what was published causes no revert', async () => {
    const source = await published()
    const first = (await head()) + 1
    doors[0]!.fault = stopsAt(first - 20)
    const reading = source.take(readBlocks(settings({ end: first + 1 }), source))
    await looks(doors[0]!, 5)
    await chain.mine(2)
    await looks(doors[0]!, 5)
    doors[0]!.fault = () => undefined
    await reading
    await expectRead(source, first)
  })

  test('that stays behind for long is passed over', async () => {
    const source = await published()
    const first = (await head()) + 1
    doors[0]!.fault = stopsAt(first - 1)
    await chain.mine(4)
    await source.take(readBlocks(settings({ end: first + 3 }), source))
    await expectRead(source, first)
    expect(source.logged.join('')).toContain('is behind others')
  })

  test('that tells of a head whose blocks nobody has is not believed', async () => {
    const source = await published()
    const first = (await head()) + 1
    doors[0]!.fault = ({ params: [name] }) =>
      name === 'latest' ? { result: (block) => ({ ...(block as object), number: quantity(first + 1000) }) } : undefined
    const reading = source.take(readBlocks(settings({ end: first + 1 }), source))
    await looks(doors[1]!, 2)
    await chain.mine(2)
    await reading
    await expectRead(source, first)
  })

  test('that alone is asked is not waited for where it has no blocks of so long ago', async () => {
    const source = createRecordingSource()
    doors[0]!.fault = ({ params: [name] }) => (Number(name) <= 5 ? { result: () => null } : undefined)
    const reading = source.take(readBlocks(settings({ rpc: doors[0]!.rpc, start: 5 }), source))
    await expect(reading).rejects.toThrow(BlockUnavailableError)
  })

  test('that has stopped on a branch that all others have left does not hold them up', async () => {
    const source = await published()
    const left = await head()
    doors[2]!.fault = stopsAt(left)
    const stale = new Map<number, unknown>()
    for (let number = left - 3; number <= left; number++)
      stale.set(number, await call(chain.rpc, 'eth_getBlockByNumber', [quantity(number), true]))
    await chain.reorganise(3)
    await chain.mine(20)
    const stops = stopsAt(left)
    doors[2]!.fault = (asked) => {
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

  test('of another chain than was published is left out, and named without its key', async () => {
    const other = await startChain({ chainId: 4242 })
    try {
      const source = await published()
      const first = (await head()) + 1
      await chain.mine(3)
      const rpc = [`${other.rpc}/?key=k3y-0123456789abcdef`, doors[1]!.rpc]
      await source.take(readBlocks(settings({ rpc, end: first + 2 }), source))
      await expectRead(source, first)
      expect(source.logged.join('')).toContain('chain 4242')
      expect(source.logged.join('')).not.toContain('k3y')
    } finally {
      await other.stop()
    }
  })

  test('of another chain than the others is left out', async () => {
    const other = await startChain({ chainId: 4242 })
    try {
      const source = createRecordingSource()
      const last = await head()
      // So that the others are asked too.
      doors[0]!.fault = ({ params: [name] }) => (Number(name) % 2 === 1 ? { status: 500 } : undefined)
      const rpc = [doors[0]!.rpc, other.rpc, doors[1]!.rpc]
      await source.take(readBlocks(settings({ rpc, end: last }), source))
      await expectRead(source, 0)
      expect(source.logged.join('')).toContain('serves chain 4242')
    } finally {
      await other.stop()
    }
  })
})
