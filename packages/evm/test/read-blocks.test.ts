import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { startFakeNode } from '../../testbed/chain/fake-node.ts'
import { createServedBlocks } from '../../testbed/chain/served-blocks.ts'
import { ChainChangedError, type EvmSettings, InvalidBlockRangeError, readBlocks } from '../src/index.ts'
import { blockSettings } from './block-settings.ts'
import { createRecordingSource } from './recording-source.ts'

let chain: Chain
const settings = (changes?: Partial<EvmSettings>): EvmSettings =>
  blockSettings(chain.rpc, { verify: 'roots', ...changes })

beforeAll(async () => {
  chain = await startChain({ slotsInAnEpoch: 4 })
  await chain.mine(50)
})
afterAll(() => chain?.stop())

const numbers = (steps: readonly { checkpoint: { number: number } }[]) =>
  steps.map(({ checkpoint }) => checkpoint.number)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('a range of blocks', () => {
  test('is read completely, in order and linked, and then the source ends', async () => {
    const source = createRecordingSource()
    const steps = await source.take(readBlocks(settings({ end: 50 }), source))
    expect(numbers(steps)).toEqual(range(0, 50))
    for (const [index, { block }] of steps.entries()) {
      if (index > 0) expect(block.parentHash).toBe(steps[index - 1]?.checkpoint.hash)
    }
    expect(source.progressed.at(-1)).toEqual([50, 50])
  })

  test('continues after the published blocks, whatever start is', async () => {
    const first = createRecordingSource()
    await first.take(readBlocks(settings({ end: 20 }), first))
    const second = createRecordingSource(first.history())
    const steps = await second.take(readBlocks(settings({ start: 3, end: 25 }), second))
    expect(numbers(steps)).toEqual(range(21, 25))
    const third = createRecordingSource(second.history())
    expect(await third.take(readBlocks(settings({ end: 25 }), third))).toEqual([])
  })

  test('that ends before it starts is refused', async () => {
    const source = createRecordingSource()
    const steps = source.take(readBlocks(settings({ start: 9, end: 8 }), source))
    await expect(steps).rejects.toThrow(InvalidBlockRangeError)
  })

  test('that ends before the head, where it starts by default, is refused', async () => {
    const source = createRecordingSource()
    const steps = source.take(readBlocks(settings({ start: 'latest', end: 49 }), source))
    await expect(steps).rejects.toThrow(new InvalidBlockRangeError(50, 49))
  })

  test('of earliest starts with the oldest block of the node', async () => {
    const source = createRecordingSource()
    expect(numbers(await source.take(readBlocks(settings({ start: 'earliest', end: 2 }), source)))).toEqual([0, 1, 2])
  })
})

describe('at the head', () => {
  test('blocks are read as they are mined, and stopping ends the wait', async () => {
    const source = createRecordingSource()
    const live = await startChain()
    try {
      await live.mine(4)
      const blocks = readBlocks(settings({ rpc: live.rpc, start: 'latest' }), source)
      expect(numbers(await source.take(blocks, 1))).toEqual([4])
      const waiting = source.take(blocks, 3)
      await live.mine(2)
      expect(numbers(await waiting)).toEqual([4, 5, 6])
      const stopped = source.take(blocks)
      source.stop()
      await expect(stopped).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
    } finally {
      await live.stop()
    }
  })

  test('stopping closes every connection to the node', async () => {
    const node = await startFakeNode(chain.rpc)
    try {
      const source = createRecordingSource()
      const blocks = readBlocks(settings({ rpc: node.rpc, start: 45 }), source)
      await source.take(blocks, 6)
      expect(await node.connections()).toBeGreaterThan(0)
      const stopped = source.take(blocks)
      source.stop()
      await expect(stopped).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
      await expect.poll(() => node.connections()).toBe(0)
    } finally {
      await node.close()
    }
  })

  test('confirmations keep a distance from the head', async () => {
    const source = createRecordingSource()
    const blocks = readBlocks(settings({ start: 'latest', confirmations: 6 }), source)
    expect(numbers(await source.take(blocks, 1))).toEqual([44])
    const waiting = source.take(blocks, 2)
    source.stop()
    await expect(waiting).rejects.toThrow()
    expect(numbers(source.steps)).toEqual([44])
  })
})

describe('finality', () => {
  test('by tag: the finalized block is final once it was read with the reported hash', async () => {
    const source = createRecordingSource()
    const steps = await source.take(readBlocks(settings({ end: 50 }), source))
    const finalized = 50 - 2 * 4
    const none = Array(finalized).fill(undefined)
    expect(steps.map(({ final }) => final?.number)).toEqual([...none, ...Array(9).fill(finalized)])
    for (const { final } of steps.slice(finalized)) expect(final).toBe(steps[finalized]!.checkpoint)
  })

  test('by depth: blocks are final once the number of blocks above them was read', async () => {
    const source = createRecordingSource()
    const steps = await source.take(readBlocks(settings({ end: 50, finality: 3 }), source))
    expect(steps.map(({ final }) => final?.number)).toEqual([undefined, undefined, undefined, ...range(0, 47)])
  })

  test('of a block that was not published is not declared', async () => {
    const source = createRecordingSource()
    const steps = await source.take(readBlocks(settings({ start: 48, end: 50 }), source))
    expect(steps.map(({ final }) => final)).toEqual([undefined, undefined, undefined])
  })
})

test('another chain than the published one is refused', async () => {
  const first = createRecordingSource()
  await first.take(readBlocks(settings({ end: 3 }), first))
  const other = await startChain({ chainId: 4242 })
  try {
    await other.mine(6)
    const second = createRecordingSource(first.history())
    const steps = second.take(readBlocks(settings({ rpc: other.rpc, end: 6 }), second))
    await expect(steps).rejects.toThrow(new ChainChangedError(31337, 4242))
    expect(second.steps).toEqual([])
  } finally {
    await other.stop()
  }
})

describe('after a reorganisation', () => {
  test('the first block of the new branch reverts the blocks of the old one', async () => {
    const source = createRecordingSource()
    const forked = await startChain()
    try {
      await forked.mine(10)
      const blocks = readBlocks(settings({ rpc: forked.rpc }), source)
      const before = [...(await source.take(blocks, 11))]
      await forked.reorganise(3)
      await forked.mine(1)
      const steps = (await source.take(blocks, 15)).slice(11)
      expect(numbers(steps)).toEqual([8, 9, 10, 11])
      expect(steps[0]?.revertTo).toBe(before[7]?.checkpoint)
      expect(steps[0]?.block.parentHash).toBe(before[7]?.checkpoint.hash)
      expect(steps.slice(1).every((step) => !('revertTo' in step))).toBe(true)
      expect(steps[0]?.checkpoint.hash).not.toBe(before[8]?.checkpoint.hash)
    } finally {
      source.stop()
      await forked.stop()
    }
  })

  test('while the connector was down, the old branch is reverted', async () => {
    const forked = await startChain()
    try {
      await forked.mine(8)
      const first = createRecordingSource()
      await first.take(readBlocks(settings({ rpc: forked.rpc, end: 8 }), first))
      await forked.reorganise(2)
      await forked.mine(1)
      const second = createRecordingSource(first.history())
      const steps = await second.take(readBlocks(settings({ rpc: forked.rpc, end: 9 }), second))
      expect(numbers(steps)).toEqual([7, 8, 9])
      expect(steps[0]?.revertTo).toEqual(first.steps[6]?.checkpoint)
    } finally {
      await forked.stop()
    }
  })

  test('while the connector was down, the old branch is reverted although the last block was published', async () => {
    const forked = await startChain()
    try {
      await forked.mine(8)
      const first = createRecordingSource()
      await first.take(readBlocks(settings({ rpc: forked.rpc, end: 8 }), first))
      await forked.reorganise(2)
      const second = createRecordingSource(first.history())
      const steps = await second.take(readBlocks(settings({ rpc: forked.rpc, end: 8 }), second))
      expect(numbers(steps)).toEqual([7, 8])
      expect(steps[0]?.revertTo).toEqual(first.steps[6]?.checkpoint)
    } finally {
      await forked.stop()
    }
  })

  test('between a block and its receipts, the new block is read at once', async () => {
    const forked = await startChain()
    const node = await startFakeNode(forked.rpc)
    try {
      await forked.mine(8)
      const before = new Set<unknown>()
      node.fault = ({ method, params: [hash] }) => {
        if (method !== 'eth_getBlockReceipts' || before.size > 0) return undefined
        before.add(hash)
        return {
          async result() {
            await forked.reorganise(8, { transactions: 1 })
            return null
          },
        }
      }
      const source = createRecordingSource()
      const reading = readBlocks(settings({ rpc: node.rpc, start: 8, end: 8, receipts: true }), source)
      const [step] = await source.take(reading)
      const served = createServedBlocks(forked.rpc)
      expect(step!.checkpoint.hash).toBe((await served.note()).hash)
      expect(step!.receipts).toHaveLength(1)
      expect(source.logged.join('')).not.toContain('asking again')
      expect(node.calls.filter(({ params: [hash] }) => before.has(hash))).toHaveLength(1)
    } finally {
      await node.close()
      await forked.stop()
    }
  })

  test('of all published blocks, all are reverted', async () => {
    const forked = await startChain()
    try {
      await forked.mine(8)
      const first = createRecordingSource()
      await first.take(readBlocks(settings({ rpc: forked.rpc, start: 7, end: 8 }), first))
      await forked.reorganise(4)
      await forked.mine(1)
      const second = createRecordingSource(first.history())
      const steps = await second.take(readBlocks(settings({ rpc: forked.rpc, end: 9 }), second))
      expect(numbers(steps)).toEqual([7, 8, 9])
      expect(steps[0]?.revertTo).toBeNull()
    } finally {
      await forked.stop()
    }
  })
})
