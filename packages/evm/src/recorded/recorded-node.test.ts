import { expect, test } from 'vitest'
import { serveRecording } from './recorded-node.ts'
import { type RecordedBlock, type Recording, reorganise } from './recording.ts'

const hash = (number: number, kind = 'b') => `0x${kind}${number.toString(16).padStart(63, '0')}`

/** Blocks 5 to 8 with two transactions each. */
const recording: Recording = { chainId: 7, finalized: 6, blocks: [5, 6, 7, 8].map(recorded) }

function recorded(number: number): RecordedBlock {
  const transactions = [0, 1].map((index) => ({
    hash: hash(number * 2 + index, 'f'),
    blockHash: hash(number),
    transactionIndex: `0x${index}`,
    from: `0x${'d'.repeat(40)}`,
  }))
  return {
    block: { number: `0x${number}`, hash: hash(number), parentHash: hash(number - 1), timestamp: '0x1', transactions },
    receipts: transactions.map(({ from: _, hash, ...place }) => ({ ...place, transactionHash: hash, logs: [] })),
  }
}

async function ask(rpc: string, body: unknown): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return (await fetch(rpc, { method: 'POST', body: text })).json()
}

const block = recording.blocks[2]!.block

test.each<[method: string, params: unknown[], result: unknown]>([
  ['eth_chainId', [], '0x7'],
  ['eth_blockNumber', [], '0x8'],
  ['eth_getBlockByNumber', ['0x7', true], block],
  ['eth_getBlockByNumber', ['0x7', false], { ...block, transactions: [hash(14, 'f'), hash(15, 'f')] }],
  ['eth_getBlockByNumber', ['0x4', true], null],
  ['eth_getBlockByNumber', ['0x9', true], null],
  ['eth_getBlockByNumber', ['earliest', true], recording.blocks[0]!.block],
  ['eth_getBlockByNumber', ['finalized', true], recording.blocks[1]!.block],
  ['eth_getBlockByNumber', ['safe', true], recording.blocks[1]!.block],
  ['eth_getBlockByNumber', ['latest', true], recording.blocks[3]!.block],
  ['eth_getBlockByHash', [hash(7), true], block],
  ['eth_getBlockByHash', [hash(70), true], null],
  ['eth_getBlockTransactionCountByNumber', ['0x7'], '0x2'],
  ['eth_getBlockTransactionCountByHash', [hash(7)], '0x2'],
  ['eth_getBlockTransactionCountByHash', [hash(70)], null],
  ['eth_getBlockReceipts', [hash(7)], recording.blocks[2]!.receipts],
  ['eth_getBlockReceipts', ['0x7'], recording.blocks[2]!.receipts],
  ['eth_getTransactionReceipt', [hash(15, 'f')], recording.blocks[2]!.receipts![1]],
  ['eth_getTransactionReceipt', [hash(7)], null],
])('%s %j is answered as a node answers it', async (method, params, result) => {
  await using node = await serveRecording(recording)
  expect(await ask(node.rpc, { jsonrpc: '2.0', id: 'x', method, params })).toEqual({ jsonrpc: '2.0', id: 'x', result })
})

test('eth_getLogs selects by blocks, contracts and topics', async () => {
  const log = (place: number) => ({
    ...{ logIndex: `0x${place}`, address: `0x${'A'.repeat(39)}${place}` },
    ...{ topics: [hash(place), hash(9)], data: '0x' },
  })
  const blocks = recording.blocks.map((each, index) => ({
    ...each,
    receipts: each.receipts!.map((receipt, at) => ({ ...receipt, logs: [log(index * 2 + at)] })),
  }))
  await using node = await serveRecording({ ...recording, blocks })
  const places = async (request: object) => {
    const answer = await ask(node.rpc, { id: 1, method: 'eth_getLogs', params: [request] })
    return (answer as { result: { logIndex: string }[] }).result.map(({ logIndex }) => Number(logIndex))
  }
  expect(await places({ fromBlock: '0x6', toBlock: '0x7' })).toEqual([2, 3, 4, 5])
  expect(await places({ fromBlock: 'earliest', toBlock: 'finalized' })).toEqual([0, 1, 2, 3])
  expect(await places({ fromBlock: '0x8', toBlock: '0x20' })).toEqual([6, 7])
  expect(await places({ blockHash: hash(6) })).toEqual([2, 3])
  const all = { fromBlock: '0x0', toBlock: 'latest' }
  expect(await places({ ...all, address: [log(3).address.toLowerCase(), log(6).address] })).toEqual([3, 6])
  expect(await places({ ...all, topics: [[hash(1), hash(4)], hash(9)] })).toEqual([1, 4])
  expect(await places({ ...all, topics: [null, hash(8)] })).toEqual([])
  expect(await places({ ...all, topics: [hash(1), hash(9), null] })).toEqual([])
})

test('a batch is answered in order, with JSON-RPC errors for unsupported calls', async () => {
  await using node = await serveRecording({ chainId: 7, blocks: [{ block }] })
  const calls = [
    { id: 1, method: 'eth_blockNumber' },
    { id: 2, method: 'eth_mining' },
    { id: 3, method: 'eth_getBlockReceipts', params: [block.hash] },
    { id: 4, method: 'eth_getBlockByNumber', params: ['finalized', false] },
    { id: 5, method: 'eth_getLogs', params: [{ blockHash: block.hash }] },
  ]
  expect(await ask(node.rpc, calls)).toEqual([
    { jsonrpc: '2.0', id: 1, result: '0x7' },
    { jsonrpc: '2.0', id: 2, error: { code: -32601, message: expect.stringContaining('eth_mining') } },
    { jsonrpc: '2.0', id: 3, error: { code: -32000, message: 'this recording has no receipts' } },
    { jsonrpc: '2.0', id: 4, result: null },
    { jsonrpc: '2.0', id: 5, error: { code: -32000, message: 'this recording has no receipts' } },
  ])
  expect(await ask(node.rpc, '{')).toMatchObject({ id: null, error: { code: -32700 } })
})

test('after a reorganisation the newest blocks have other hashes, and each is the child of the one before', async () => {
  await using node = await serveRecording(recording)
  const other = reorganise(recording, 2)
  node.serve(other)
  const { result } = (await ask(node.rpc, { id: 1, method: 'eth_getBlockByNumber', params: ['0x8', true] })) as {
    result: RecordedBlock['block']
  }
  const seventh = other.blocks[2]!
  expect(other.blocks.slice(0, 2)).toEqual(recording.blocks.slice(0, 2))
  expect(result).toEqual(other.blocks[3]!.block)
  expect(result.parentHash).toBe(seventh.block.hash)
  expect(seventh.block.parentHash).toBe(hash(6))
  expect(seventh.block.hash).toMatch(/^0x[0-9a-f]{64}$/)
  expect(seventh.block.hash).not.toBe(hash(7))
  const named = [...seventh.block.transactions, ...seventh.receipts!].map(({ blockHash }) => blockHash)
  expect(new Set(named)).toEqual(new Set([seventh.block.hash]))
  expect(seventh.block.transactions.map(({ hash }) => hash)).toEqual([hash(14, 'f'), hash(15, 'f')])
})

test('a recorded node listens on 127.0.0.1 only, and its port is free after it was closed', async () => {
  const { rpc, close } = await serveRecording(recording)
  expect(new URL(rpc).hostname).toBe('127.0.0.1')
  await close()
  await expect(fetch(rpc)).rejects.toThrow('fetch failed')
})
