import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { type Call, type FakeNode, type Fault, startFakeNode } from '../../testbed/chain/fake-node.ts'
import { createConfirmEmpty, createCountTransactions } from '../src/block/count-transactions.ts'
import { fetchBlock } from '../src/block/fetch-block.ts'
import { ContradictedBlockError, type RpcBlock, type RpcReceipt } from '../src/index.ts'
import { createFetchReceipts } from '../src/receipt/fetch-receipts.ts'
import { createRpc, type Rpc } from '../src/rpc/rpc.ts'
import type { EncodedBlock } from '../src/transcoding/block-encoder.ts'
import type { EncodedReceipts } from '../src/transcoding/receipt-encoder.ts'
import { inHex, oracleMessages } from './oracle/oracle-messages.ts'
import { encodeBlock, encodeReceipts, toJson } from './transcoding/encode-answer.ts'

const transactions = 60
const never = new AbortController().signal
const log = pino({ level: 'silent' })
const checks = { encode: encodeBlock, confirmEmpty: createConfirmEmpty(createCountTransactions(log)) }
const open: (() => Promise<void>)[] = []
let chain: Chain
let block: EncodedBlock
/** As the node sends them. */
let rpcBlock: RpcBlock
let rpcReceipts: readonly RpcReceipt[]

beforeAll(async () => {
  chain = await startChain()
  await chain.mine(2, { transactions })
  const rpc = openRpc(chain.rpc)
  block = (await fetchBlock(rpc, 2, checks, { signal: never })).block
  rpcBlock = parse(block.json)
  rpcReceipts = parse((await receiptFetcher(rpc)(block, { signal: never })).json)
  expect(rpcReceipts).toHaveLength(transactions)
})
afterAll(() => chain?.stop())
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

function openRpc(...urls: string[]) {
  const rpc = createRpc({ rpc: urls, log })
  open.push(() => rpc.close())
  return rpc
}

function receiptFetcher(rpc: Rpc) {
  return createFetchReceipts(rpc, encodeReceipts)
}

function parse<T>(json: Buffer): T {
  return JSON.parse(json.toString())
}

/** Expects the receipts of the first `count` transactions, and the messages of the oracle. */
function expectReceipts(fetched: EncodedReceipts, count = transactions): void {
  const receipts = rpcReceipts.slice(0, count)
  const ofBlock = { ...rpcBlock, transactions: rpcBlock.transactions.slice(0, count) }
  expect(parse(fetched.json)).toEqual(receipts)
  const { Receipt, Log } = oracleMessages(ofBlock, 2, receipts)
  expect(inHex(fetched.messages)).toEqual({ Receipt, Log })
}

/** A node that answers as the chain does, unless `answer` returns another answer. */
async function startNode(answer: (calls: readonly Call[], isBatch: boolean) => Fault | undefined): Promise<FakeNode> {
  const node = await startFakeNode(chain.rpc)
  node.fault = (call, batch) => answer(batch ?? [call], batch !== undefined)
  open.push(() => node.close())
  return node
}

const asks = (method: string) => (calls: readonly Call[]) => calls[0]!.method === method
const error = (calls: readonly Call[], code: number, message: string): Fault => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: '2.0', id: calls[0]!.id, error: { code, message } }),
})
const result = (calls: readonly Call[], value: unknown): Fault => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: '2.0', id: calls[0]!.id, result: value }),
})
const unknownMethod = (calls: readonly Call[]) =>
  asks('eth_getBlockReceipts')(calls) ? error(calls, -32601, 'the method does not exist') : undefined
const isBlockReceipts = asks('eth_getBlockReceipts')

describe('an endpoint without eth_getBlockReceipts', () => {
  test.each<[string, number, (calls: readonly Call[]) => Fault]>([
    ['reports the limit in one error', 20, (calls) => error(calls, -32600, 'batch size exceeds the limit')],
    ['returns one error without a reason', 7, (calls) => error(calls, -32600, 'invalid request')],
    ['answers 413', 20, () => ({ status: 413, body: '' })],
    ['answers 400', 20, () => ({ status: 400, body: 'Bad Request' })],
    ['answers 429', 20, () => ({ status: 429, body: '{}' })],
    ['accepts no batches', 0, (calls) => error(calls, -32600, 'batches are not supported')],
  ])('that %s if a batch has too many calls gets smaller batches', async (_, most, refuse) => {
    const { rpc, requests } = await startNode((calls, isBatch) =>
      isBatch && calls.length > most ? refuse(calls) : unknownMethod(calls),
    )
    const fetchReceipts = receiptFetcher(openRpc(rpc))
    expectReceipts(await fetchReceipts(block, { signal: never }))
    expectReceipts(await fetchReceipts(block, { signal: never }))
    expect(requests.filter(isBlockReceipts)).toHaveLength(1)
  })

  test.each<[string, (calls: readonly Call[]) => Fault]>([
    ['a code of EIP-1474', (calls) => error(calls, -32004, 'what?')],
    ['a refusal of the hash of a block', (calls) => error(calls, -32602, 'Invalid params')],
    ['an error with HTTP status 500', (calls) => ({ ...error(calls, -32601, 'method not found'), status: 500 })],
    ['a message', (calls) => error(calls, -32600, 'The method eth_getBlockReceipts is not available')],
    ['a status', () => ({ status: 403, body: 'not in your plan' })],
  ])('that reports it by %s gets a request for the receipt of each transaction', async (_, refuse) => {
    const { rpc, requests } = await startNode((calls) => (isBlockReceipts(calls) ? refuse(calls) : undefined))
    const fetchReceipts = receiptFetcher(openRpc(rpc))
    expectReceipts(await fetchReceipts(block, { signal: never }))
    expectReceipts(await fetchReceipts(block, { signal: never }))
    expect(requests.filter(isBlockReceipts)).toHaveLength(1)
  })

  test('gets requests for the receipt of each transaction, and an endpoint with the method does not', async () => {
    let isUnavailable = false
    const unavailable = { status: 500, body: '' }
    const one = await startNode((calls) => (isUnavailable ? unavailable : unknownMethod(calls)))
    const other = await startNode(() => undefined)
    const fetchReceipts = receiptFetcher(openRpc(one.rpc, other.rpc))
    expectReceipts(await fetchReceipts(block, { signal: never }))
    isUnavailable = true
    expectReceipts(await fetchReceipts(block, { signal: never }))
    // Two of them while it is unavailable: a request with the status 500 is retried once.
    expect(one.requests.filter(asks('eth_getTransactionReceipt'))).toHaveLength(3)
    expect(other.requests.map((calls) => calls[0]!.method)).toEqual(['eth_chainId', 'eth_getBlockReceipts'])
  })
})

describe('receipts that are too large for one answer', () => {
  test.each<[string, (calls: readonly Call[]) => Fault]>([
    ['an error', (calls) => error(calls, -32008, 'Response is too big')],
    ['a status', () => ({ status: 413, body: '' })],
    ['an error about time', (calls) => error(calls, -32000, 'request timed out')],
  ])('according to %s are requested in batches, unlike those of other blocks', async (_, refuse) => {
    const { rpc, requests } = await startNode((calls) =>
      isBlockReceipts(calls) && calls[0]!.params[0] === block.hash ? refuse(calls) : undefined,
    )
    const opened = openRpc(rpc)
    const fetchReceipts = receiptFetcher(opened)
    expectReceipts(await fetchReceipts(block, { signal: never }))
    // A copy, because a block that is requested again is another object.
    expectReceipts(await fetchReceipts({ ...block }, { signal: never }))
    expect(requests.filter(isBlockReceipts)).toHaveLength(1)
    const before = (await fetchBlock(opened, 1, checks, { signal: never })).block
    const asked = requests.length
    expect(parse((await fetchReceipts(before, { signal: never })).json)).toHaveLength(before.hashes.length)
    expect(requests.slice(asked).map((calls) => calls.map(({ method }) => method))).toEqual([['eth_getBlockReceipts']])
  })
})

describe('a block whose last transaction is missing', () => {
  const short = () => {
    const short = { ...rpcBlock, transactions: rpcBlock.transactions.slice(0, -1) }
    return encodeBlock(toJson(short), 2)
  }

  test('is refused although each of its transactions has a receipt', async () => {
    const { rpc } = await startNode(unknownMethod)
    const fetchReceipts = receiptFetcher(openRpc(rpc))
    await expect(fetchReceipts(short(), { onceEach: true, signal: never })).rejects.toThrow(ContradictedBlockError)
  })

  test('is accepted if the chain has used the missing gas for something else', async () => {
    const { rpc } = await startNode((calls) =>
      asks('eth_getBlockTransactionCountByHash')(calls) ? result(calls, '0x3b') : unknownMethod(calls),
    )
    const fetchReceipts = receiptFetcher(openRpc(rpc))
    expectReceipts(await fetchReceipts(short(), { signal: never }), transactions - 1)
  })
})

test.each<[string, (block: RpcBlock) => object]>([
  ['a block with a field that is not hex', (block) => ({ ...block, gasUsed: 'abc' })],
  ['a block without its transactions', (block) => ({ ...block, transactions: [] })],
])('another endpoint is used if one returns %s', async (_, wrong) => {
  const one = await startNode((calls) =>
    asks('eth_getBlockByNumber')(calls) ? result(calls, wrong(rpcBlock)) : undefined,
  )
  const fetched = await fetchBlock(openRpc(one.rpc, chain.rpc), 2, checks, { signal: never })
  expect(fetched.block).toEqual(block)
  expect(one.requests.filter(asks('eth_getBlockByNumber'))).toHaveLength(1)
})
