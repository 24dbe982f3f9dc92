import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { contracts } from '../../testbed/chain/contracts.ts'
import { type FakeNode, startFakeNode } from '../../testbed/chain/fake-node.ts'
import { call, callAll } from '../../testbed/chain/json-rpc.ts'
import { withExtremes } from '../../testbed/recorded-chain/extreme-blocks.ts'
import { recordChain } from '../../testbed/recorded-chain/record-chain.ts'
import { type RecordedBlock, readRecording, writeRecording } from '../../testbed/recorded-chain/recording.ts'
import { createReplayedChain, type ReplayedChain } from '../../testbed/recorded-chain/replayed-chain.ts'
import { type EvmSettings, type RpcBlock, readBlocks } from '../src/index.ts'
import { toBlock } from './oracle/block.ts'
import { expectOracleMessages } from './oracle/expect-oracle-messages.ts'
import { toTransaction } from './oracle/transaction.ts'
import { createRecordingSource } from './recording-source.ts'

let recorded: readonly RecordedBlock[]
let server: FakeNode | undefined
beforeAll(async () => {
  recorded = await readRecording()
})
afterEach(() => server?.close())

const replay = (chain: ReplayedChain): readonly RecordedBlock[] =>
  Array.from({ length: chain.head + 1 }, (_, number) => chain.read(chain.at(number)!))

describe('the recorded chain', () => {
  test('has transactions of every type and outcome, and empty and large blocks', () => {
    const transactions = recorded.flatMap(({ block }) => block.transactions)
    const counts = recorded.map(({ block }) => block.transactions.length)
    expect([...new Set(transactions.map(({ type }) => Number(type)))].sort()).toEqual([0, 1, 2, 3, 4])
    expect(transactions.some(({ type, chainId }) => Number(type) === 0 && chainId === undefined)).toBe(true)
    expect(transactions.some(({ to }) => to === null)).toBe(true)
    expect(transactions.some(({ value }) => BigInt(value!) > 2n ** 100n)).toBe(true)
    expect(transactions.some(({ maxFeePerGas }) => BigInt(maxFeePerGas ?? 0) > 2n ** 64n)).toBe(true)
    expect(recorded.flatMap(({ receipts }) => receipts).some(({ status }) => status === '0x0')).toBe(true)
    expect(counts).toContain(0)
    expect(counts).toContain(100)
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(300)
  })

  test('has blocks that are each the child of the one before', () => {
    for (const [index, { block, receipts }] of recorded.entries()) {
      if (index > 0) expect(block.parentHash).toBe(recorded[index - 1]!.block.hash)
      expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(block.transactions.map(({ hash }) => hash))
    }
  })
})

test('a recording is read from its file unchanged, and equal each time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-recording-'))
  try {
    const file = join(folder, 'chain.ndjson.br')
    const blocks = await recordChain({ transactionCounts: [6, 5, 0, 7] })
    await writeRecording(file, blocks)
    expect(await readRecording(file)).toEqual(blocks)
    expect(blocks).toEqual(recorded.slice(0, 4))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

describe('a replayed chain', () => {
  test('is linked, and all on it has a unique number and hash', () => {
    const chain = createReplayedChain({ recorded, head: recorded.length * 2 })
    const blocks = replay(chain).map(({ block }) => block)
    for (const [number, block] of blocks.entries()) {
      expect(Number(block.number)).toBe(number)
      if (number > 0) expect(block.parentHash).toBe(blocks[number - 1]!.hash)
      expect(chain.find(block.hash)).toEqual({ number, branch: 0, index: undefined })
      for (const [index, { hash }] of block.transactions.entries())
        expect(chain.find(hash)).toEqual({ number, branch: 0, index })
    }
    const hashes = blocks.flatMap(({ hash, transactions }) => [hash, ...transactions.map(({ hash }) => hash)])
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  test('has the recorded contents', () => {
    const chain = createReplayedChain({ recorded, head: recorded.length })
    const replayed = replay(chain).map(contents)
    expect(replayed).toEqual([...recorded, recorded[0]!].map(contents))
  })

  test('has other blocks after a reorganisation, linked to the remaining ones', () => {
    const chain = createReplayedChain({ recorded, head: 100, finalDepth: 20 })
    const before = replay(chain)
    chain.reorganise(5, 2)
    expect(chain.head).toBe(98)
    chain.grow(4)
    const after = replay(chain)
    expect(after.slice(0, 96)).toEqual(before.slice(0, 96))
    for (let number = 96; number < after.length; number++) {
      expect(after[number]!.block.hash).not.toBe(before[number]?.block.hash)
      expect(after[number]!.block.parentHash).toBe(after[number - 1]!.block.hash)
    }
    chain.reorganise(1000)
    expect(chain.read(chain.at(chain.final)!)).toEqual(after[chain.final])
    expect(chain.read(chain.at(chain.final + 1)!)).not.toEqual(after[chain.final + 1])
  })
})

describe('a replay server', () => {
  test.each([true, false])('is read completely, with the receipts of a block at once: %s', async (hasBlockReceipts) => {
    // So long that most blocks are encoded in a thread.
    const chain = createReplayedChain({ recorded, head: 5 * recorded.length })
    server = await startFakeNode({ chain, hasBlockReceipts })
    const source = createRecordingSource()
    const steps = await source.take(readBlocks(settingsFor(server.rpc, chain.head), source))
    expect(steps.map(({ block, receipts }) => ({ block, receipts }))).toEqual(replay(chain))
    for (const step of steps) expectOracleMessages(step, { receipts: true, logs: true })
  })

  test('returns amounts, fees and signatures of up to 256 bits, which are published completely', async () => {
    const extremes = withExtremes(recorded).slice(recorded.length)
    const chain = createReplayedChain({ recorded: extremes, head: extremes.length - 1 })
    server = await startFakeNode({ chain })
    const source = createRecordingSource()
    const steps = await source.take(readBlocks(settingsFor(server.rpc, chain.head), source))
    for (const step of steps) expectOracleMessages(step, { receipts: true, logs: true })
    const transactions = steps.flatMap(({ block }) =>
      block.transactions.map((transaction) => ({ transaction, message: toTransaction(transaction, toBlock(block)) })),
    )
    expect([...new Set(transactions.map(({ message }) => message.Type))].sort()).toEqual([0, 1, 2, 3, 4])
    const seen = new Set<bigint>()
    for (const { transaction: of, message: to } of transactions) {
      const wide = [
        [of.value, to.Amount, to.AmountExact],
        [of.gasPrice, to.Price, to.PriceExact],
        [of.r, to.R, to.RExact],
        [of.s, to.S, to.SExact],
        [of.maxFeePerGas, to.MaxFeePerGas, to.MaxFeePerGasExact],
        [of.maxFeePerBlobGas, to.MaxFeePerBlobGas, to.MaxFeePerBlobGasExact],
      ] as const
      for (const [answered, saturated, exact] of wide) {
        if (answered === undefined) continue
        const value = BigInt(answered!)
        expect(saturated).toBe(value < 2n ** 64n ? value : 2n ** 64n - 1n)
        expect(exact && BigInt(`0x${Buffer.from(exact).toString('hex')}`)).toBe(value < 2n ** 64n ? undefined : value)
        seen.add(value)
      }
    }
    expect(seen).toEqual(new Set([2n ** 256n - 1n, 2n ** 64n, 2n ** 64n - 1n, 2n ** 255n]))
  })

  test('answers as a node does', async () => {
    const chain = createReplayedChain({ recorded, head: 200 })
    server = await startFakeNode({ chain })
    const { rpc } = server
    const named = ['latest', 'finalized', 'earliest', '0x7', '0xc9']
    const blocks = await callAll(
      rpc,
      named.map((name) => ({ method: 'eth_getBlockByNumber', params: [name, false] })),
    )
    expect(blocks.map((block) => block && Number((block as RpcBlock).number))).toEqual([200, 136, 0, 7, null])
    for (const number of [0, 7, 200]) {
      const { block, receipts } = chain.read(chain.at(number)!)
      expect(await call(rpc, 'eth_getBlockReceipts', [block.number])).toEqual(receipts)
      expect(await call(rpc, 'eth_getBlockReceipts', [block.hash])).toEqual(receipts)
      const count = `0x${block.transactions.length.toString(16)}`
      expect(await call(rpc, 'eth_getBlockTransactionCountByNumber', [block.number])).toBe(count)
      expect(await call(rpc, 'eth_getBlockTransactionCountByHash', [block.hash])).toBe(count)
    }
    expect(await call(rpc, 'eth_getBlockTransactionCountByNumber', ['0xc9'])).toBeNull()
    expect(await call(rpc, 'eth_blockNumber')).toBe('0xc8')
    expect(await call(rpc, 'eth_chainId')).toBe('0x7a69')
    await expect(call(rpc, 'eth_mining')).rejects.toThrow('-32601')
  })
})

test('selects logs by range, block, address and topics, up to the limits of a node', async () => {
  const chain = createReplayedChain({ recorded, head: 100 })
  const expected = replay(chain).map(({ receipts }) => receipts.flatMap(({ logs }) => logs))
  const mostResults = expected.slice(1, 50).flat().length
  server = await startFakeNode({ chain, logLimits: { mostBlocks: 50, mostResults } })
  const { rpc } = server
  const logs = (filter: object) => call<readonly object[]>(rpc, 'eth_getLogs', [filter])
  const [address, one, two] = [contracts.logging.address, `0x${'1'.padStart(64, '0')}`, `0x${'2'.padStart(64, '0')}`]
  const selecting = [
    ...[{}, { address }, { address: [`0x${'a'.repeat(40)}`, address.toUpperCase().replace('X', 'x')] }],
    ...[{ topics: [one] }, { topics: [null, two] }, { topics: [[one, two], []] }],
  ]
  for (const filter of selecting)
    expect(await logs({ fromBlock: '0x5', toBlock: '0x20', ...filter })).toEqual(expected.slice(5, 33).flat())
  for (const filter of [{ address: [`0x${'a'.repeat(40)}`] }, { topics: [two] }, { topics: [one, two, null] }])
    expect(await logs({ fromBlock: '0x5', toBlock: '0x20', ...filter })).toEqual([])
  expect(await logs({ fromBlock: '0x5a', toBlock: '0xffff' })).toEqual(expected.slice(90).flat())
  const reverted = chain.read(chain.at(99)!).block.hash
  chain.reorganise(5)
  expect(await logs({ blockHash: reverted })).toEqual(expected[99])
  await expect(logs({ fromBlock: '0x0', toBlock: '0x32' })).rejects.toThrow('limited to a 50 range')
  await expect(logs({ fromBlock: '0x0', toBlock: '0x31' })).rejects.toThrow(`more than ${mostResults} results`)
  expect(await logs({ fromBlock: '0x1', toBlock: '0x31' })).toHaveLength(mostResults)
  await expect(logs({ blockHash: `0x${'0'.repeat(64)}` })).rejects.toThrow('unknown block')
})

const identity = ['hash', 'parentHash', 'blockHash', 'transactionHash', 'number', 'blockNumber', 'timestamp']

/** The fields of a block that are the same in every replay. */
function contents(block: RecordedBlock): string {
  return JSON.stringify(block, (name, value) =>
    identity.includes(name) || name === 'blockTimestamp' ? undefined : value,
  )
}

function settingsFor(rpc: string, end: number): EvmSettings {
  const limits = { start: 0, end, poll: 1, confirmations: 0, finality: 'finalized' } as const
  return { ...limits, rpc, verify: 'links', receipts: true, logs: true }
}
