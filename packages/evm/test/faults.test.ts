import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Chain, startChain } from '../../../scripts/chain/chain.ts'
import { type EvmSettings, InvalidAnswerError, RpcRefusedError, RpcUnavailableError, readBlocks } from '../src/index.ts'
import { type Call, type Fault, type FaultyNode, startFaultyNode } from './faulty-node.ts'
import { createRecordingSource } from './recording-source.ts'

const key = 'k3y-0123456789abcdef'
let chain: Chain
let node: FaultyNode

beforeAll(async () => {
  chain = await startChain()
  await chain.mine(20)
})
afterAll(() => chain?.stop())
beforeEach(async () => {
  node = await startFaultyNode(chain.rpc)
})
afterEach(() => node?.close())

const settings = (changes: Partial<EvmSettings> = {}): EvmSettings => ({
  rpc: `${node.rpc}/v1/${key}`,
  start: 0,
  end: 20,
  poll: 0.02,
  confirmations: 0,
  finality: 'finalized',
  ...changes,
})

/** A fault that strikes the first `times` calls that it is for. */
const strikes = (times: number, fault: Fault, matches: (call: Call) => boolean = () => true) => {
  let left = times
  return (call: Call) => (matches(call) && left-- > 0 ? fault : undefined)
}
const asksForBlock = (number: number) => (call: Call) =>
  call.method === 'eth_getBlockByNumber' && call.params[0] === `0x${number.toString(16)}`
const text = (error: unknown): string =>
  error instanceof Error ? `${error.message}\n${error.stack}\n${text(error.cause)}` : String(error)

describe('goes on, and misses nothing, after', () => {
  test.each<[string, () => (call: Call) => Fault | undefined]>([
    ['server errors', () => strikes(3, { status: 503, body: 'try later' })],
    ['a refusal for now', () => strikes(2, { status: 429, headers: { 'retry-after': '0' }, body: '{}' })],
    ['an answer that is no JSON', () => strikes(2, { body: '<html>' })],
    ['an answer without result', () => strikes(2, { body: '{"jsonrpc":"2.0","id":1}' })],
    ['a JSON-RPC error', () => strikes(2, { body: '{"error":{"code":-32000,"message":"header not found"}}' })],
    ['a block that is not there yet', () => strikes(2, { result: () => null }, asksForBlock(9))],
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
  ])('%s', async (_, fault) => {
    node.fault = fault()
    const source = createRecordingSource()
    const steps = await source.take(readBlocks(settings(), source))
    expect(steps.map(({ checkpoint }) => checkpoint.number)).toEqual(Array.from({ length: 21 }, (_, index) => index))
    expect(source.logged.join('')).toContain('trying again')
    expect(source.logged.join('')).not.toContain(key)
  })
})

test('an answer that stays wrong is never published', async () => {
  node.fault = (call) => (asksForBlock(2)(call) ? { result: () => ({ hash: '0x' }) } : undefined)
  const source = createRecordingSource()
  await expect(source.take(readBlocks(settings(), source))).rejects.toThrow(InvalidAnswerError)
  expect(source.steps).toHaveLength(2)
})

test('another endpoint takes over from one that fails', async () => {
  node.fault = () => ({ status: 500 })
  const source = createRecordingSource()
  const steps = await source.take(readBlocks(settings({ rpc: [node.rpc, chain.rpc] }), source))
  expect(steps).toHaveLength(21)
  expect(node.calls).toHaveLength(1)
})

test('a refused key ends the reading at once, and is not shown', async () => {
  node.fault = () => ({ status: 401, body: `{"message":"unknown key ${key}"}` })
  const source = createRecordingSource()
  const failure = await source.take(readBlocks(settings(), source)).catch((error) => error)
  expect(failure).toBeInstanceOf(RpcRefusedError)
  expect(text(failure)).not.toContain(key)
  expect(node.calls).toHaveLength(1)
})

test('a key in an error of the node is not shown', async () => {
  node.fault = () => ({ body: `{"error":{"code":-32000,"message":"project ${key} has no such network"}}` })
  const source = createRecordingSource()
  const failure = await source.take(readBlocks(settings(), source)).catch((error) => error)
  expect(text(failure)).toContain('has no such network')
  expect(text(failure) + source.logged.join('')).not.toContain(key)
})

test('a node that is not there is told apart, without the key', async () => {
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

test('a head that goes back takes nothing back', async () => {
  const source = createRecordingSource()
  const blocks = readBlocks(settings({ end: 20 }), source)
  node.fault = (call) => (call.method === 'eth_blockNumber' ? { result: () => '0xf' } : undefined)
  await source.take(blocks, 16)
  const heads = ['0xa', '0x5', '0xf', '0x14']
  node.fault = (call) => (call.method === 'eth_blockNumber' ? { result: () => heads.shift() ?? '0x14' } : undefined)
  const steps = await source.take(blocks)
  expect(steps.map(({ checkpoint }) => checkpoint.number)).toEqual(Array.from({ length: 21 }, (_, index) => index))
  expect(steps.every((step) => step.revertTo === undefined)).toBe(true)
  expect(heads).toEqual([])
})

test('a node that lags behind after a new block is not taken for a reorganisation', async () => {
  const source = createRecordingSource()
  node.fault = strikes(
    1,
    { result: (block) => ({ ...(block as object), parentHash: `0x${'0'.repeat(64)}` }) },
    asksForBlock(9),
  )
  const steps = await source.take(readBlocks(settings(), source))
  expect(steps.map(({ checkpoint }) => checkpoint.number)).toEqual(Array.from({ length: 21 }, (_, index) => index))
  expect(steps.every((step) => step.revertTo === undefined)).toBe(true)
})

test('a node without a finalized block makes none final, and says so once', async () => {
  node.fault = (call) =>
    call.params[0] === 'finalized'
      ? { body: '{"error":{"code":-32000,"message":"finalized block not found"}}' }
      : undefined
  const source = createRecordingSource()
  const steps = await source.take(readBlocks(settings(), source))
  expect(steps.every((step) => step.final === undefined)).toBe(true)
  expect(source.logged.filter((line) => line.includes('finalized'))).toHaveLength(1)
})
