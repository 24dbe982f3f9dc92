import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { type Call, type FakeNode, type Fault, startFakeNode } from '../../testbed/chain/fake-node.ts'
import { createServedBlocks } from '../../testbed/chain/served-blocks.ts'
import { type EvmSettings, InvalidAnswerError, readBlocks } from '../src/index.ts'
import { blockSettings } from './block-settings.ts'
import { omitsLast } from './node-faults.ts'
import { createRecordingSource, type RecordingSource } from './recording-source.ts'

const blocks = 40
const always = Number.POSITIVE_INFINITY
let chain: Chain
/** The preferred node. */
let node: FakeNode

beforeAll(async () => {
  chain = await startChain()
  await chain.mine(blocks, { transactions: 3 })
})
afterAll(() => chain?.stop())
beforeEach(async () => {
  node = await startFakeNode(chain.rpc)
})
afterEach(() => node?.close())

const settings = (changes?: Partial<EvmSettings>): EvmSettings =>
  blockSettings(node.rpc, { start: blocks - 4, end: blocks, ...changes })

const isCount = ({ method }: Call) => method === 'eth_getBlockTransactionCountByNumber'
const isWholeBlock = ({ method, params: [, isWhole] }: Call) => method === 'eth_getBlockByNumber' && isWhole === true
const counts = () => node.calls.filter(isCount).map(({ params: [name] }) => Number(name))

/** Expects that all blocks from `first` on were read with all their transactions. */
async function expectWhole({ steps }: RecordingSource, first: number): Promise<void> {
  const served = createServedBlocks(chain.rpc)
  const expected = served.chainOf(await served.note()).slice(first)
  expect(steps.map(({ checkpoint }) => checkpoint.hash)).toEqual(expected)
  expect(steps.map(({ block }) => block.transactions.map(({ hash }) => hash))).toEqual(
    expected.map((hash) => served.get(hash)!.transactions),
  )
}

describe('a new block whose last transactions are missing', () => {
  test.each([1, 2])('is requested again instead of published: %d of them', async (missing) => {
    node.fault = omitsLast(missing, 3)
    const source = createRecordingSource()
    await source.take(readBlocks(settings(), source))
    await expectWhole(source, blocks - 4)
    expect(source.logged.join('')).toMatch(/it has \d of \d transactions/)
  })

  test('is taken from another endpoint', async () => {
    node.fault = omitsLast(1, always)
    const source = createRecordingSource()
    await source.take(readBlocks(settings({ rpc: [node.rpc, chain.rpc] }), source))
    await expectWhole(source, blocks - 4)
  })

  test('is not published if no endpoint has all of them', async () => {
    node.fault = omitsLast(1, always)
    const source = createRecordingSource()
    await expect(source.take(readBlocks(settings(), source))).rejects.toThrow(InvalidAnswerError)
    expect(source.steps).toEqual([])
  })

  test('is requested again while it cannot be counted', async () => {
    const omits = omitsLast(1, 2)
    const failures = [
      { body: '{"error":{"code":-32000,"message":"header not found"}}' },
      { result: () => null },
      { result: () => 3 },
    ]
    node.fault = (call) => (isCount(call) ? failures.shift() : omits(call))
    const source = createRecordingSource()
    await source.take(readBlocks(settings({ start: blocks }), source))
    await expectWhole(source, blocks)
    expect(failures).toEqual([])
  })
})

test('a block and its count are requested concurrently', async () => {
  const { promise: counted, resolve } = Promise.withResolvers<void>()
  node.fault = (call) => {
    if (isCount(call)) resolve()
    return isWholeBlock(call) ? { result: (block) => counted.then(() => block) } : undefined
  }
  const source = createRecordingSource()
  await source.take(readBlocks(settings(), source))
  await expectWhole(source, blocks - 4)
})

describe('transactions are counted', () => {
  test('in the newest blocks only', async () => {
    const source = createRecordingSource()
    await source.take(readBlocks(settings({ start: 0 }), source))
    await expectWhole(source, 0)
    expect(counts().sort((one, other) => one - other)).toEqual(Array.from({ length: 16 }, (_, index) => 25 + index))
  })

  test.each<[string, Partial<EvmSettings>]>([
    ['receipts are read', { receipts: true }],
    ['logs are read', { logs: true }],
    ['their root is verified', { verify: 'roots' }],
  ])('only if nothing else proves that none is missing: %s', async (_, changes) => {
    const source = createRecordingSource()
    await source.take(readBlocks(settings(changes), source))
    await expectWhole(source, blocks - 4)
    expect(counts()).toEqual([])
  })

  test.each<[string, Fault]>([
    ['by its code', { body: '{"error":{"code":-32601,"message":"what?"}}' }],
    ['by a code of EIP-1474', { body: '{"error":{"code":-32004,"message":"what?"}}' }],
    ['by its message', { body: '{"error":{"code":-32600,"message":"The method eth_count is not available"}}' }],
    ['by status', { status: 403, body: 'not in your plan' }],
  ])('but not by a node without the method, which is logged once: %s', async (_, refusal) => {
    node.fault = (call) => (isCount(call) ? refusal : undefined)
    const source = createRecordingSource()
    const steps = readBlocks(settings({ end: blocks - 1 }), source)
    await source.take(steps)
    expect(source.steps).toHaveLength(4)
    const logged = source.logged.filter((line) => line.includes('not checked by this method'))
    expect(logged).toHaveLength(1)
    expect(JSON.parse(logged[0]!).level).toBe(20)
    expect(source.logged.join('')).not.toContain('asking again')
  })
})
