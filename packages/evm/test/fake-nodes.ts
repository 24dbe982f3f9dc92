import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { type FakeNode, startFakeNode } from '../../testbed/chain/fake-node.ts'
import { call, quantity } from '../../testbed/chain/json-rpc.ts'
import { createServedBlocks } from '../../testbed/chain/served-blocks.ts'
import { type EvmSettings, readBlocks } from '../src/index.ts'
import { blockSettings } from './block-settings.ts'
import { stopsAt } from './node-faults.ts'
import { createRecordingSource, type RecordingSource } from './recording-source.ts'

/** A real chain of 100 blocks for the tests of a file, and three nodes of it, which are new for each test. */
export interface FakeNodes {
  readonly chain: Chain
  /** They answer as the chain does until a test sets a fault. */
  readonly first: FakeNode
  readonly second: FakeNode
  readonly third: FakeNode
  /** Default of `rpc`: the first two nodes. */
  settings(changes?: Partial<EvmSettings>): EvmSettings
  head(): Promise<number>
  hashAt(number: number): Promise<string>
  /** Of all blocks of the chain, from block 0 on. */
  hashes(): Promise<readonly string[]>
  /** A source that has published the whole chain. */
  published(): Promise<RecordingSource>
  /** The fault of a node that keeps its current newest blocks, and gets no later ones. */
  stopsHere(blocks: number): Promise<FakeNode['fault']>
}

export function useFakeNodes(): FakeNodes {
  let chain: Chain
  let nodes: readonly FakeNode[] = []

  beforeAll(async () => {
    chain = await startChain()
    await chain.mine(100, { transactions: 1 })
  })
  afterAll(() => chain?.stop())
  beforeEach(async () => {
    nodes = await Promise.all([1, 2, 3].map(() => startFakeNode(chain.rpc)))
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await Promise.all(nodes.map((node) => node.close()))
  })

  const blockAt = (number: number, isWhole: boolean) =>
    call<{ hash: string }>(chain.rpc, 'eth_getBlockByNumber', [quantity(number), isWhole])
  const used: FakeNodes = {
    get chain() {
      return chain
    },
    get first() {
      return nodes[0]!
    },
    get second() {
      return nodes[1]!
    },
    get third() {
      return nodes[2]!
    },
    settings: (changes) =>
      blockSettings(
        nodes.slice(0, 2).map(({ rpc }) => rpc),
        changes,
      ),
    head: async () => Number((await createServedBlocks(chain.rpc).note()).number),
    hashAt: async (number) => (await blockAt(number, false)).hash,
    async hashes() {
      const served = createServedBlocks(chain.rpc)
      return served.chainOf(await served.note())
    },
    async published() {
      const source = createRecordingSource()
      await source.take(readBlocks(used.settings({ rpc: chain.rpc, end: await used.head() }), source))
      return createRecordingSource(source.history())
    },
    async stopsHere(blocks) {
      const last = await used.head()
      const kept = new Map<number, unknown>()
      for (let number = last - blocks + 1; number <= last; number++) kept.set(number, await blockAt(number, true))
      const stops = stopsAt(last)
      return (asked) => {
        const number = asked.params[0] === 'latest' ? last : Number(asked.params[0])
        const isKept = asked.method === 'eth_getBlockByNumber' && kept.has(number)
        return isKept ? { result: () => kept.get(number) } : stops(asked)
      }
    },
  }
  return used
}

/** Stops the clock. Returns a function that advances it by some ms. Endpoints that fail back off until then. */
export function stopTheClock(): (ms: number) => void {
  // In whole ms, because sums of fractions are not exact.
  let now = Math.floor(performance.now())
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  return (ms) => {
    now += ms
  }
}

/** Resolves after a number of further calls of a node. */
export async function asked(node: FakeNode, times: number): Promise<void> {
  const before = node.calls.length
  await expect.poll(() => node.calls.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(before + times)
}

export const warnings = ({ logged }: RecordingSource, text: string): readonly string[] =>
  logged.filter((line) => line.includes(text))

export const untilLogged = (source: RecordingSource, text: string): Promise<void> =>
  expect.poll(() => warnings(source, text).length, { timeout: 30_000 }).toBeGreaterThan(0)

/** Numbers of the blocks to which the published ones were reverted. */
export const reverts = ({ steps }: RecordingSource): readonly (number | undefined)[] =>
  steps.filter(({ revertTo }) => revertTo !== undefined).map(({ revertTo }) => revertTo?.number)

/** Expects that these blocks are published and canonical. */
export function expectPublished(source: RecordingSource, hashes: readonly string[]): void {
  expect(source.history().map(({ hash }) => hash)).toEqual(hashes.toReversed())
}
