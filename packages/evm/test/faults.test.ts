import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { type Call, type FakeNode, type Fault, startFakeNode } from '../../testbed/chain/fake-node.ts'
import { speedUpTime } from '../../testbed/fast-time.ts'
import {
  type EvmSettings,
  InvalidAnswerError,
  InvalidBlockRangeError,
  RpcRefusedError,
  RpcUnavailableError,
  readBlocks,
} from '../src/index.ts'
import { blockSettings } from './block-settings.ts'
import { expectOracleMessages } from './oracle/expect-oracle-messages.ts'
import { createRecordingSource } from './recording-source.ts'

const key = 'k3y-0123456789abcdef'
let chain: Chain
let node: FakeNode

beforeAll(async () => {
  chain = await startChain()
  await chain.mine(20)
})
afterAll(() => chain?.stop())
beforeEach(async () => {
  node = await startFakeNode(chain.rpc)
})
afterEach(() => node?.close())

const settings = (changes?: Partial<EvmSettings>): EvmSettings =>
  blockSettings(`${node.rpc}/v1/${key}`, { end: 20, verify: 'roots', ...changes })

/** A fault of the first `times` matching calls. */
const strikes = (times: number, fault: Fault, matches: (call: Call) => boolean = () => true) => {
  let left = times
  return (call: Call) => (matches(call) && left-- > 0 ? fault : undefined)
}
const asksForBlock = (number: number) => (call: Call) =>
  call.method === 'eth_getBlockByNumber' && call.params[0] === `0x${number.toString(16)}`
const transactionsUpTo = (end: number) => (block: unknown) => ({
  ...(block as object),
  transactions: (block as { transactions: object[] }).transactions.slice(0, end),
})
const text = (error: unknown): string =>
  error instanceof Error ? `${error.message}\n${error.stack}\n${text(error.cause)}` : String(error)

describe('the source continues without a gap after', () => {
  test.each<[string, () => (call: Call) => Fault | undefined]>([
    ['server errors', () => strikes(3, { status: 503, body: 'try later' })],
    ['a temporary refusal', () => strikes(2, { status: 429, headers: { 'retry-after': '0' }, body: '{}' })],
    ['an answer that is not JSON', () => strikes(2, { body: '<html>' })],
    ['an answer without result', () => strikes(2, { body: '{"jsonrpc":"2.0","id":1}' })],
    ['a JSON-RPC error', () => strikes(2, { body: '{"error":{"code":-32000,"message":"header not found"}}' })],
    ['a block that does not exist yet', () => strikes(2, { result: () => null }, asksForBlock(9))],
    [
      'a block of another number',
      () => strikes(2, { result: (block) => ({ ...(block as object), number: '0x3' }) }, asksForBlock(9)),
    ],
    [
      'a block with a transaction of another',
      () =>
        strikes(
          2,
          {
            result: (block) => {
              const { transactions } = block as { transactions: object[] }
              return {
                ...(block as object),
                transactions: [{ ...transactions[0], blockHash: '0x' }, ...transactions.slice(1)],
              }
            },
          },
          asksForBlock(9),
        ),
    ],
    ['a block without its last transaction', () => strikes(2, { result: transactionsUpTo(-1) }, asksForBlock(9))],
    ['a block without its transactions', () => strikes(2, { result: transactionsUpTo(0) }, asksForBlock(9))],
  ])('%s', async (_, fault) => {
    node.fault = fault()
    const source = createRecordingSource()
    const steps = await source.take(readBlocks(settings(), source))
    expect(steps.map(({ checkpoint }) => checkpoint.number)).toEqual(Array.from({ length: 21 }, (_, index) => index))
    expect(source.logged.join('')).toContain('asking again')
    expect(source.logged.join('')).not.toContain(key)
  })
})

test('an answer that is repeatedly wrong is never published', async () => {
  speedUpTime()
  node.fault = (call) => (asksForBlock(2)(call) ? { result: () => ({ hash: '0x' }) } : undefined)
  const source = createRecordingSource()
  await expect(source.take(readBlocks(settings(), source))).rejects.toThrow(InvalidAnswerError)
  expect(source.steps).toHaveLength(2)
})

describe('a block with malformed data is requested from another endpoint:', () => {
  const ofFirst = (change: object) => (block: unknown) => {
    const { transactions } = block as { transactions: object[] }
    return { ...(block as object), transactions: [{ ...transactions[0], ...change }, ...transactions.slice(1)] }
  }
  test.each<[string, (block: unknown) => unknown]>([
    ['its extra data', (block) => ({ ...(block as object), extraData: `0x${'zz'.repeat(20)}` })],
    ['input', ofFirst({ input: `0x${'zz'.repeat(20)}` })],
    ['a price', ofFirst({ gasPrice: `0x${'g'.repeat(20)}` })],
    ['a sender', ofFirst({ from: `0x${'zz'.repeat(20)}` })],
  ])('%s is not hex after the first digits', async (_, result) => {
    for (const verify of ['links', 'roots'] as const) {
      node.fault = (call) => (asksForBlock(9)(call) ? { result } : undefined)
      const source = createRecordingSource()
      const steps = await source.take(
        readBlocks(settings({ rpc: [node.rpc, chain.rpc], start: 9, end: 9, verify }), source),
      )
      for (const step of steps) expectOracleMessages(step, { receipts: false, logs: false })
      expect(steps).toHaveLength(1)
      expect(source.logged.join('')).toContain('asking again')
    }
  })

  test('the sender in its receipts is not hex after the first digits', async () => {
    node.fault = ({ method }) =>
      method === 'eth_getBlockReceipts'
        ? {
            result: (receipts) =>
              (receipts as object[]).map((receipt) => ({ ...receipt, from: `0x${'zz'.repeat(20)}` })),
          }
        : undefined
    const source = createRecordingSource()
    const steps = await source.take(
      readBlocks(settings({ rpc: [node.rpc, chain.rpc], start: 9, end: 9, verify: 'links', receipts: true }), source),
    )
    expect(steps).toHaveLength(1)
    for (const step of steps) expectOracleMessages(step, { receipts: true, logs: false })
  })
})

test('empty blocks of a chain with its own empty root are accepted after the node has counted their transactions', async () => {
  const transactionsRoot = `0xc5d24601${'86'.repeat(28)}`
  const isEmptied = ({ params: [name] }: Call) => Number(name) % 2 === 0
  node.fault = (call) => {
    if (call.method === 'eth_getBlockTransactionCountByHash') return { result: () => '0x0' }
    if (call.method !== 'eth_getBlockByNumber' || call.params[1] !== true || !isEmptied(call)) return undefined
    return { result: (block) => ({ ...(block as object), transactions: [], transactionsRoot }) }
  }
  const source = createRecordingSource()
  const steps = await source.take(readBlocks(settings({ verify: 'links', receipts: true }), source))
  expect(steps.filter(({ block }) => block.transactions.length === 0)).toHaveLength(11)
  const counts = node.calls.filter(({ method }) => method === 'eth_getBlockTransactionCountByHash').length
  expect(counts).toBeGreaterThan(0)
  expect(counts).toBeLessThan(11)
})

test('another node is used if one does not answer in time', async () => {
  // The source waits for every endpoint until they agree on the first block.
  node.fault = ({ params: [number] }) => (Number(number) > 1 ? { result: () => new Promise(() => {}) } : undefined)
  const source = createRecordingSource()
  const steps = await source.take(readBlocks(settings({ rpc: [node.rpc, chain.rpc], timeout: 0.1 }), source))
  expect(steps).toHaveLength(21)
  expect(source.logged.join('')).toContain('did not answer within 0.1 s')
})

test('a refused key ends the source at once, and is not shown', async () => {
  node.fault = () => ({ status: 401, body: `{"message":"unknown key ${key}"}` })
  const source = createRecordingSource()
  const failure = await source.take(readBlocks(settings(), source)).catch((error) => error)
  expect(failure).toBeInstanceOf(RpcRefusedError)
  expect(text(failure)).not.toContain(key)
  expect(node.calls).toHaveLength(1)
})

test('a key in an error of a node is not shown', async () => {
  node.fault = () => ({ body: `{"error":{"code":-32000,"message":"project ${key} has no such network"}}` })
  const source = createRecordingSource()
  const failure = await source.take(readBlocks(settings(), source)).catch((error) => error)
  expect(text(failure)).toContain('has no such network')
  expect(text(failure) + source.logged.join('')).not.toContain(key)
})

test('an unreachable node is reported without its key', async () => {
  speedUpTime()
  await node.close()
  const source = createRecordingSource()
  const failure = await source.take(readBlocks(settings(), source)).catch((error) => error)
  expect(failure).toBeInstanceOf(RpcUnavailableError)
  expect(text(failure) + source.logged.join('')).not.toContain(key)
})

test('stopping ends a request that is never answered', async () => {
  const source = createRecordingSource()
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  node.fault = (call) => {
    if (asksForBlock(5)(call)) resolve()
    return asksForBlock(5)(call) ? { result: () => new Promise(() => {}) } : undefined
  }
  const taken = source.take(readBlocks(settings(), source))
  await asked
  source.stop()
  await expect(taken).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
})

test('a decreasing head reverts nothing', async () => {
  const source = createRecordingSource()
  const blocks = readBlocks(settings({ end: 20 }), source)
  const heads = ['0xa', '0x5', '0xf', '0x14']
  let head = '0xf'
  node.fault = ({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { params: [head, false] } : undefined
  await source.take(blocks, 16)
  node.fault = ({ method, params }) => {
    if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return undefined
    head = heads.shift() ?? '0x14'
    return { params: [head, false] }
  }
  const steps = await source.take(blocks)
  expect(steps.map(({ checkpoint }) => checkpoint.number)).toEqual(Array.from({ length: 21 }, (_, index) => index))
  expect(steps.every((step) => step.revertTo === undefined)).toBe(true)
  expect(heads).toEqual([])
})

test('a node that lags behind is not a reorganisation', async () => {
  const source = createRecordingSource()
  node.fault = strikes(
    1,
    { result: (block) => ({ ...(block as object), parentHash: `0x${'0'.repeat(64)}` }) },
    asksForBlock(9),
  )
  const steps = await source.take(readBlocks(settings({ verify: 'links' }), source))
  expect(steps.map(({ checkpoint }) => checkpoint.number)).toEqual(Array.from({ length: 21 }, (_, index) => index))
  expect(steps.every((step) => step.revertTo === undefined)).toBe(true)
})

describe('a block is not final because of', () => {
  const reports = (name: string, changes: object) => (call: Call) =>
    call.params[0] === name ? { result: (block: unknown) => ({ ...(block as object), ...changes }) } : undefined
  const finals = async (changes: Partial<EvmSettings> = {}) => {
    const source = createRecordingSource()
    const steps = await source.take(readBlocks(settings(changes), source))
    return steps.map(({ final }) => final?.number)
  }
  const none = Array(21).fill(undefined)

  test('the number of a head alone, with finality by depth', async () => {
    node.fault = reports('latest', { number: '0xffffff' })
    expect(await finals({ finality: 8 })).toEqual([...Array(8).fill(undefined), ...Array(13).keys()])
  })

  test('a finalized block of another hash', async () => {
    node.fault = reports('finalized', { number: '0x14', hash: `0x${'1'.repeat(64)}` })
    expect(await finals()).toEqual(none)
  })

  test('a finalized block above the head', async () => {
    node.fault = reports('finalized', { number: '0xffffff' })
    expect(await finals()).toEqual(none)
  })

  test('a finalized block that was not read, unless all endpoints have the last block that was read', async () => {
    const reported = reports('finalized', { number: '0x12' })
    node.fault = reported
    const below = { confirmations: 5, end: 15 }
    expect(await finals(below)).toEqual([...Array(15).fill(undefined), 15])
    const other = await startFakeNode(chain.rpc)
    other.fault = (call) =>
      asksForBlock(15)(call)
        ? { result: (block) => ({ ...(block as object), hash: `0x${'1'.repeat(64)}` }) }
        : undefined
    try {
      expect(await finals({ ...below, rpc: [node.rpc, other.rpc] })).toEqual(none.slice(5))
    } finally {
      await other.close()
    }
  })
})

test('a range that ends before the oldest block of the node is refused', async () => {
  node.fault = ({ params: [name] }) => (name === 'earliest' ? { params: ['0x5', false] } : undefined)
  const source = createRecordingSource()
  const steps = source.take(readBlocks(settings({ start: 'earliest', end: 4 }), source))
  await expect(steps).rejects.toThrow(new InvalidBlockRangeError(5, 4))
})

test('a node without a finalized block makes no block final, and one warning is logged', async () => {
  node.fault = (call) =>
    call.params[0] === 'finalized'
      ? { body: '{"error":{"code":-32000,"message":"finalized block not found"}}' }
      : undefined
  const source = createRecordingSource()
  const steps = await source.take(readBlocks(settings(), source))
  expect(steps.every((step) => step.final === undefined)).toBe(true)
  expect(source.logged.filter((line) => line.includes('finalized'))).toHaveLength(1)
})
