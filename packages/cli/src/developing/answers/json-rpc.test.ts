import { expect, test } from 'vitest'
import { hasFailed, readCalls, withIds } from './json-rpc.ts'

const call = (method: string, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params: ['0x1'] })

test.each([
  'eth_getBlockByNumber',
  'eth_chainId',
  'eth_blockNumber',
  'eth_call',
  'net_version',
  'trace_block',
  'getSlot',
  'getblockhash',
  'state_getMetadata',
  'starknet_getBlockWithTxs',
])('%s reads', (method) => {
  expect(readCalls(JSON.stringify(call(method)))).toEqual({
    body: JSON.stringify({ jsonrpc: '2.0', method, params: ['0x1'] }),
    ids: [1],
  })
})

test.each([
  'eth_sendRawTransaction',
  'eth_newBlockFilter',
  'eth_getFilterChanges',
  'eth_subscribe',
  'eth_getWork',
  'getnewaddress',
  'evm_mine',
  'personal_sign',
  'submitblock',
])('%s may act, or answers something else each time', (method) => {
  expect(readCalls(JSON.stringify(call(method)))).toBeUndefined()
})

test.each([
  ['', 'nothing'],
  ['<xml/>', 'no JSON'],
  ['{"query":"{ items }"}', 'another protocol'],
  ['[]', 'an empty batch'],
  [JSON.stringify({ jsonrpc: '2.0', method: 'eth_call' }), 'a notification'],
  [JSON.stringify([call('eth_call'), call('eth_sendRawTransaction')]), 'a batch with a call that acts'],
])('%j is not taken: %s', (body) => {
  expect(readCalls(body)).toBeUndefined()
})

test('an answer to calls is one to the same calls with other ids, in whatever order it is', () => {
  const first = readCalls(JSON.stringify([call('eth_call', 7), call('getSlot', 'x')]))!
  const second = readCalls(JSON.stringify([call('eth_call', 'x'), call('getSlot', 9)]))!
  expect(second.body).toBe(first.body)
  const body = '[{"id":"x","result":2},{"id":7,"result":1}]'
  expect(JSON.parse(withIds(body, first.ids, second.ids))).toEqual([
    { id: 9, result: 2 },
    { id: 'x', result: 1 },
  ])
  expect(withIds('{"id":1,"result":null}', [1], [2])).toBe('{"id":2,"result":null}')
})

test('a call has failed where its answer has an error, and not where its result speaks of one', () => {
  expect(hasFailed('{"id":1,"error":{"code":-32005,"message":"limit exceeded"}}')).toBe(true)
  expect(hasFailed('[{"id":1,"result":1},{"id":2,"error":{}}]')).toBe(true)
  expect(hasFailed('{"id":1,"result":{"error":"none"},"error":null}')).toBe(false)
  expect(hasFailed('not json "error"')).toBe(false)
})
