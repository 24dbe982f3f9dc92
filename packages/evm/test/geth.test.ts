import { JsonRpcProvider } from 'ethers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { startFakeNode } from '../../testbed/chain/fake-node.ts'
import { type GethChain, startGethChain } from '../../testbed/chain/geth/geth-chain.ts'
import { call } from '../../testbed/chain/json-rpc.ts'
import { createServedBlocks } from '../../testbed/chain/served-blocks.ts'
import { type BlockStep, type EvmSettings, readBlocks } from '../src/index.ts'
import { blockSettings } from './block-settings.ts'
import { ethersTransaction } from './ethers-transaction.ts'
import { toBlock } from './oracle/block.ts'
import { expectOracleMessages } from './oracle/expect-oracle-messages.ts'
import { toLogs } from './oracle/log.ts'
import { toReceipt } from './oracle/receipt.ts'
import { toTransaction } from './oracle/transaction.ts'
import { createRecordingSource, type RecordingSource } from './recording-source.ts'

const geth = inject('gethBinary')

const settings = (chain: GethChain, changes?: Partial<EvmSettings>): EvmSettings =>
  blockSettings(chain.rpc, { verify: 'roots', ...changes })

/** Every ninth transaction has a blob. */
const perBlock = 9
const blocks = 4

describe.skipIf(geth === null)('geth', () => {
  const chains = new Map<string, GethChain>()
  /** The chain of a fork, which is started once, with some blocks. */
  async function chainOf(fork: 'prague' | 'osaka'): Promise<GethChain> {
    let chain = chains.get(fork)
    if (chain === undefined) {
      chain = await startGethChain({ binary: geth!, fork })
      chains.set(fork, chain)
      await chain.mine(blocks, { transactions: perBlock })
    }
    return chain
  }
  afterAll(() => Promise.all([...chains.values()].map((chain) => chain.stop())))

  describe.each(['prague', 'osaka'] as const)('blocks of %s with transactions of every type', (fork) => {
    let chain: GethChain
    let provider: JsonRpcProvider
    let steps: readonly BlockStep[]

    beforeAll(async () => {
      chain = await chainOf(fork)
      provider = new JsonRpcProvider(chain.rpc, undefined, { staticNetwork: true })
      const source = createRecordingSource()
      steps = await source.take(readBlocks(settings(chain, { end: blocks, receipts: true, logs: true }), source))
    })
    afterAll(() => provider?.destroy())

    const transactions = () =>
      steps.flatMap(({ block }) => block.transactions.map((each) => toTransaction(each, toBlock(block))))
    const receipts = () =>
      steps.flatMap(({ block, receipts }) => receipts.map((receipt) => ({ receipt, block: toBlock(block) })))

    test('are read with verified roots', () => {
      expect(steps).toHaveLength(blocks + 1)
      expect(transactions()).toHaveLength(blocks * perBlock)
      expect(new Set(transactions().map(({ Type }) => Type))).toEqual(new Set([0, 1, 2, 3, 4]))
      expect(transactions().some(({ Type, V }) => Type === 0 && V < 29n)).toBe(true)
      expect(transactions().some(({ Type, V }) => Type === 0 && V > 29n)).toBe(true)
      expect(transactions().some(({ BlobVersionedHashes }) => BlobVersionedHashes.length > 0)).toBe(true)
    })

    test('have the messages of the oracle', () => {
      for (const step of steps) expectOracleMessages(step, { receipts: true, logs: true })
    })

    test('have transactions of the size of their consensus encoding, which hashes to their hash', () => {
      for (const { block } of steps)
        for (const raw of block.transactions) {
          const oracle = ethersTransaction(raw)
          expect(oracle.hash).toBe(raw.hash)
          expect(toTransaction(raw, toBlock(block)).Size).toBe((oracle.serialized.length - 2) / 2)
        }
    })

    test('have the receipts of an independent client', async () => {
      expect(receipts()).toHaveLength(transactions().length)
      for (const { receipt, block } of receipts()) {
        const message = toReceipt(receipt, block)
        const oracle = await provider.getTransactionReceipt(message.TransactionHash)
        expect({
          ts: message.ts,
          index: message.TransactionIndex,
          number: message.BlockNumber,
          hash: message.BlockHash,
          from: hex(message.From),
          to: hex(message.To),
          created: message.ContractAddress && hex(message.ContractAddress),
          type: message.Type,
          status: message.Status,
          gasUsed: message.GasUsed,
          cumulative: message.CumulativeGasUsed,
          price: message.EffectiveGasPrice,
          bloom: hex(message.LogsBloom),
          logs: message.LogCount,
          blobGas: message.BlobGasUsed,
          blobPrice: message.BlobGasPrice,
        }).toEqual({
          ts: block.ts,
          index: oracle!.index,
          number: BigInt(oracle!.blockNumber),
          hash: oracle!.blockHash,
          from: oracle!.from.toLowerCase(),
          to: oracle!.to?.toLowerCase() ?? '0x',
          created: oracle!.contractAddress?.toLowerCase(),
          type: oracle!.type,
          status: oracle!.status,
          gasUsed: oracle!.gasUsed,
          cumulative: oracle!.cumulativeGasUsed,
          price: oracle!.gasPrice,
          bloom: oracle!.logsBloom,
          logs: oracle!.logs.length,
          blobGas: oracle!.blobGasUsed ?? undefined,
          blobPrice: oracle!.blobGasPrice ?? undefined,
        })
      }
      expect(receipts().some(({ receipt }) => toNumber(receipt.status) === 0)).toBe(true)
      expect(receipts().some(({ receipt }) => receipt.contractAddress)).toBe(true)
    })

    test('have the logs of an independent client', async () => {
      let logs = 0
      for (const { receipt, block } of receipts()) {
        const oracle = await provider.getTransactionReceipt(receipt.transactionHash)
        const messages = toLogs(receipt, block)
        logs += messages.length
        expect(
          messages.map((log) => ({
            transaction: log.TransactionHash,
            transactionIndex: log.TransactionIndex,
            block: log.BlockHash,
            number: log.BlockNumber,
            index: log.LogIndex,
            address: hex(log.Address),
            topics: log.Topics.map(hex),
            data: hex(log.Data),
          })),
        ).toEqual(
          oracle!.logs.map((log) => ({
            transaction: log.transactionHash,
            transactionIndex: log.transactionIndex,
            block: log.blockHash,
            number: BigInt(log.blockNumber),
            index: log.index,
            address: log.address.toLowerCase(),
            topics: log.topics,
            data: log.data,
          })),
        )
      }
      expect(logs).toBeGreaterThan(0)
    })

    test('are final up to the block that was set as finalized at the node', async () => {
      const hashes = await Promise.all([1, 2, blocks].map((number) => chain.hashAt(number)))
      await chain.setHead(hashes[2]!, { safe: hashes[1]!, finalized: hashes[0]! })
      const source = createRecordingSource()
      const steps = await source.take(readBlocks(settings(chain, { end: blocks }), source))
      expect(steps.map(({ final }) => final?.number)).toEqual([undefined, 1, 1, 1, 1])
      expect(steps.at(-1)!.final!.hash).toBe(hashes[0])
    })
  })

  test('a block that it notifies of is read at once over its WebSocket, and so is another branch', async () => {
    const chain = await chainOf('prague')
    const source = createRecordingSource()
    // In seconds, longer than a test may take: a block that is read was not found by polling.
    const steps = readBlocks(settings(chain, { ws: chain.ws, poll: 600 }), source)
    const head = await chain.headNumber()
    await source.take(steps, head + 1)
    // Empty, because geth puts transactions of reverted blocks into later ones.
    await chain.mine(2, { transactions: 0 })
    expect(await source.take(steps, head + 3)).toHaveLength(head + 3)
    const branch = await chain.branch(await chain.hashAt(head), 3)
    await chain.setHead(branch[2]!)
    const following = (await source.take(steps, head + 6)).slice(head + 3)
    expect(following.map(({ checkpoint }) => checkpoint.hash)).toEqual(branch)
    source.stop()
    await expect(source.take(steps)).rejects.toThrow()
  })

  describe('when another branch becomes canonical', () => {
    let chain: GethChain
    let source: RecordingSource
    beforeAll(async () => {
      chain = await chainOf('prague')
    })
    beforeEach(async () => {
      await switchTo(await fork(blocks, 16))
      source = createRecordingSource()
    })
    afterEach(() => source.stop())

    const switchTo = (branch: readonly string[]) => chain.setHead(branch.at(-1)!)
    /** A branch of `blocks` blocks that forks after block `below`. */
    const fork = async (below: number, blocks: number) => chain.branch(await chain.hashAt(below), blocks)

    type Blocks = ReturnType<typeof readBlocks>
    /** Takes steps until the newest block is the head, and expects the node's chain. */
    async function expectToFollow(blocks: Blocks): Promise<void> {
      const served = createServedBlocks(chain.rpc)
      const head = await served.note()
      while (source.history()[0]?.hash !== head.hash) await source.take(blocks, source.steps.length + 1)
      expect(source.history().map(({ hash }) => hash)).toEqual(served.chainOf(head).reverse())
    }
    const reverts = () => source.steps.flatMap(({ revertTo }) => (revertTo ? [revertTo.number] : []))

    const changes: [string, () => Promise<unknown>, readonly number[]][] = [
      ['which is longer', async () => switchTo(await fork(10, 14)), [10]],
      ['which has the same length', async () => switchTo(await fork(19, 1)), [19]],
      ['which is shorter', async () => switchTo(await fork(6, 3)), [6]],
      [
        'followed by a second one',
        async () => {
          await switchTo(await fork(12, 9))
          await switchTo(await fork(15, 8))
        },
        [12],
      ],
    ]

    test.each(changes)(
      '%s, a running source and one that starts later revert down to the fork',
      async (_, change, expected) => {
        const running = readBlocks(settings(chain), source)
        await expectToFollow(running)
        const stopped = createRecordingSource(source.history())
        await change()
        await expectToFollow(running)
        expect(reverts()).toEqual(expected)
        source.stop()
        source = stopped
        await expectToFollow(readBlocks(settings(chain), source))
        expect(reverts()).toEqual(expected)
      },
    )

    test('and then the first one again, its blocks are published again', async () => {
      const first = await chain.hashAt(20)
      const blocks = readBlocks(settings(chain), source)
      await expectToFollow(blocks)
      await switchTo(await fork(8, 13))
      await expectToFollow(blocks)
      await chain.setHead(first)
      await expectToFollow(blocks)
      expect(reverts()).toEqual([8, 8])
    })

    test('and then the first one again before the next poll, nothing is reverted', async () => {
      const first = await chain.hashAt(20)
      await expectToFollow(readBlocks(settings(chain), source))
      source = createRecordingSource(source.history())
      await switchTo(await fork(8, 13))
      await chain.setHead(first)
      await chain.mine(1, { transactions: 0 })
      await expectToFollow(readBlocks(settings(chain), source))
      expect(source.steps.map(({ checkpoint }) => checkpoint.number)).toEqual([21])
      expect(reverts()).toEqual([])
    })

    test('during a backfill, the last blocks are those of the new branch', async () => {
      const node = await startFakeNode(chain.rpc)
      const { promise: switched, resolve } = Promise.withResolvers<void>()
      // Requests for blocks ahead are answered only after the switch to the new branch.
      node.fault = ({ method, params }) =>
        method === 'eth_getBlockByNumber' && Number(params[0]) > 15
          ? { result: () => switched.then(() => call(chain.rpc, method, [...params])) }
          : undefined
      try {
        const blocks = readBlocks(settings(chain, { rpc: node.rpc }), source)
        await source.take(blocks, 16)
        await switchTo(await fork(12, 12))
        resolve()
        await expectToFollow(blocks)
        const numbers = source.steps.map(({ checkpoint }) => checkpoint.number)
        expect(numbers).toEqual([...Array(16).keys(), ...Array.from({ length: 12 }, (_, index) => 13 + index)])
        expect(reverts()).toEqual([12])
      } finally {
        source.stop()
        await node.close()
      }
    })

    test('with full blocks instead of empty ones, the blocks have their transactions', async () => {
      const blocks = readBlocks(settings(chain), source)
      await expectToFollow(blocks)
      await switchTo(await fork(10, 1))
      await chain.mine(2, { transactions: 4 })
      await expectToFollow(blocks)
      expect(source.steps.slice(-2).map(({ block }) => block.transactions.length)).toEqual([4, 4])
    })
  })
})

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

function toNumber(quantity: unknown): number {
  return Number(quantity)
}
