import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { call, quantity } from '../../testbed/chain/json-rpc.ts'
import { createServedBlocks } from '../../testbed/chain/served-blocks.ts'
import { type EvmSettings, readBlocks } from '../src/index.ts'
import { blockSettings } from './block-settings.ts'
import { type FaultyNode, startFaultyNode } from './faulty-node.ts'
import { stopsAt } from './lying-node.ts'
import { createRecordingSource, type RecordingSource } from './recording-source.ts'

/** A real chain of 100 blocks for the tests of a file, with three doors before it, new ones for each test. */
export interface ChainDoors {
  readonly chain: Chain
  /** They answer as the chain does until they are given a fault. */
  readonly first: FaultyNode
  readonly second: FaultyNode
  readonly third: FaultyNode
  /** Of the first two doors, in this order, unless others are named. */
  settings(changes?: Partial<EvmSettings>): EvmSettings
  head(): Promise<number>
  hashAt(number: number): Promise<string>
  /** Of all blocks of the chain, from block 0 on. */
  hashes(): Promise<readonly string[]>
  /** A source that has published the whole chain. */
  published(): Promise<RecordingSource>
  /** Answers as a node does that has the newest blocks of the chain as it is now, and none after them. */
  stopsHere(blocks: number): Promise<FaultyNode['fault']>
}

export function useChainDoors(): ChainDoors {
  let chain: Chain
  let doors: readonly FaultyNode[] = []

  beforeAll(async () => {
    chain = await startChain()
    await chain.mine(100, { transactions: 1 })
  })
  afterAll(() => chain?.stop())
  beforeEach(async () => {
    doors = await Promise.all([1, 2, 3].map(() => startFaultyNode(chain.rpc)))
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await Promise.all(doors.map((door) => door.close()))
  })

  const blockAt = (number: number, isWhole: boolean) =>
    call<{ hash: string }>(chain.rpc, 'eth_getBlockByNumber', [quantity(number), isWhole])
  const used: ChainDoors = {
    get chain() {
      return chain
    },
    get first() {
      return doors[0]!
    },
    get second() {
      return doors[1]!
    },
    get third() {
      return doors[2]!
    },
    settings: (changes) =>
      blockSettings(
        doors.slice(0, 2).map(({ rpc }) => rpc),
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

/** From now on time passes only when it is put forward, by what it returns, in ms. Endpoints that fail rest as long. */
export function stopTheClock(): (ms: number) => void {
  // Whole ms: what is added to a fraction and taken from it again can come out short.
  let now = Math.floor(performance.now())
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  return (ms) => {
    now += ms
  }
}

/** Resolves when a door has been asked so many more times. */
export async function asked(door: FaultyNode, times: number): Promise<void> {
  const before = door.calls.length
  await expect.poll(() => door.calls.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(before + times)
}

export const warnings = ({ logged }: RecordingSource, words: string): readonly string[] =>
  logged.filter((line) => line.includes(words))

export const untilLogged = (source: RecordingSource, words: string): Promise<void> =>
  expect.poll(() => warnings(source, words).length, { timeout: 30_000 }).toBeGreaterThan(0)

/** Numbers of the blocks after which what was published was taken back. */
export const reverts = ({ steps }: RecordingSource): readonly (number | undefined)[] =>
  steps.filter(({ revertTo }) => revertTo !== undefined).map(({ revertTo }) => revertTo?.number)

/** Expects that what stands is the chain of these blocks. */
export function expectPublished(source: RecordingSource, hashes: readonly string[]): void {
  expect(source.history().map(({ hash }) => hash)).toEqual(hashes.toReversed())
}
