import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { type FakeNode, startFakeNode } from '../../testbed/chain/fake-node.ts'
import { speedUpTime } from '../../testbed/fast-time.ts'
import { type EvmSettings, readBlocks } from '../src/index.ts'
import { blockSettings } from './block-settings.ts'
import { createRecordingSource, type RecordingSource } from './recording-source.ts'

let chain: Chain
let first: FakeNode
let second: FakeNode

beforeAll(async () => {
  chain = await startChain({ slotsInAnEpoch: 4 })
  await chain.mine(50, { transactions: 0 })
})
afterAll(() => chain?.stop())
beforeEach(async () => {
  ;[first, second] = await Promise.all([startFakeNode(chain.rpc), startFakeNode(chain.rpc)])
})
afterEach(() => Promise.all([first, second].map((node) => node?.close())))

const settings = (changes?: Partial<EvmSettings>): EvmSettings =>
  blockSettings([first.rpc, second.rpc, chain.rpc], { end: 50, ...changes })

/** Two epochs below the head. */
const finalized = 42

const namesFinal =
  (name: object): FakeNode['fault'] =>
  ({ params: [asked] }) =>
    asked === 'finalized' ? { result: (block) => ({ ...(block as object), ...name }) } : undefined
const namesNone: FakeNode['fault'] = ({ params: [asked] }) =>
  asked === 'finalized' ? { body: '{"error":{"code":-32602,"message":"unknown block tag"}}' } : undefined
const otherHash = `0x${'1'.repeat(64)}`

const lastFinal = ({ steps }: RecordingSource) => steps.at(-1)!.final?.number

describe('another endpoint decides what is final', () => {
  test('if the preferred one has no finalized block', async () => {
    first.fault = namesNone
    const source = createRecordingSource()
    await source.take(readBlocks(settings(), source))
    expect(lastFinal(source)).toBe(finalized)
    expect(source.logged.join('')).not.toContain('reports no finalized block')
  })

  test('if the preferred one names another block than the published one', async () => {
    first.fault = namesFinal({ number: '0x14', hash: otherHash })
    const source = createRecordingSource()
    await source.take(readBlocks(settings({ rpc: chain.rpc, end: 45, finality: 1000 }), source))
    await source.take(readBlocks(settings(), source))
    expect(lastFinal(source)).toBe(finalized)
  })

  test('if the preferred one names a block above the head', async () => {
    first.fault = namesFinal({ number: '0xffffff' })
    const source = createRecordingSource()
    await source.take(readBlocks(settings(), source))
    expect(lastFinal(source)).toBe(finalized)
  })

  test('if one names a block that was not read and is above the range', async () => {
    first.fault = namesNone
    second.fault = namesFinal({ number: '0x30', hash: otherHash })
    const source = createRecordingSource()
    await source.take(readBlocks(settings(), source))
    expect(lastFinal(source)).toBe(finalized)
  })
})

describe('an invalid answer to finalized', () => {
  test.each<[string, object]>([
    ['an object without hash', { result: () => ({ number: '0x14' }) }],
    ['HTML', { body: '<html>' }],
    ['status 429', { status: 429 }],
  ])('such as %s makes no block final, and all blocks are published', async (_, fault) => {
    first.fault = ({ params: [asked] }) => (asked === 'finalized' ? fault : undefined)
    const source = createRecordingSource()
    await source.take(readBlocks(settings({ rpc: first.rpc }), source))
    expect(source.steps.map(({ checkpoint }) => checkpoint.number)).toEqual(Array.from({ length: 51 }, (_, n) => n))
    expect(source.steps.filter(({ final }) => final)).toEqual([])
    expect(source.logged.filter((line) => line.includes('no block is treated as final'))).toHaveLength(1)
  })

  test('is replaced by that of another endpoint, and no block is fetched twice', async () => {
    speedUpTime()
    first.fault = ({ params: [asked] }) => (asked === 'finalized' ? { body: '<html>' } : undefined)
    const source = createRecordingSource()
    await source.take(readBlocks(settings({ rpc: [first.rpc, second.rpc] }), source))
    expect(lastFinal(source)).toBe(finalized)
    const fetched = [first, second].flatMap(({ calls }) => calls.filter(({ params: [, isWhole] }) => isWhole === true))
    expect(fetched).toHaveLength(51)
  })
})

test('nothing is final while at least as many endpoints name another block as name the published one', async () => {
  first.fault = namesFinal({ number: '0x14', hash: otherHash })
  const source = createRecordingSource()
  await source.take(readBlocks(settings({ rpc: chain.rpc, end: 45, finality: 1000 }), source))
  await source.take(readBlocks(settings({ rpc: [first.rpc, chain.rpc] }), source))
  expect(source.steps.filter(({ final }) => final)).toEqual([])
})
