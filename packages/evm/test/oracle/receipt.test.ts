import { expect, test } from 'vitest'
import type { RpcReceipt } from '../../src/receipt/rpc-receipt.ts'
import { toBlock } from './block.ts'
import { toReceipt } from './receipt.ts'

const hash = `0x${'a'.repeat(64)}`
const block = toBlock({ number: '0x7', hash, parentHash: hash, timestamp: '0x64', transactions: [] })
const plain: RpcReceipt = { transactionHash: hash, transactionIndex: '0x0', blockHash: hash, logs: [] }

test.each([
  ['EffectiveGasPrice', 'effectiveGasPrice'],
  ['BlobGasPrice', 'blobGasPrice'],
] as const)('%s above 2^64 − 1 saturates and keeps its exact value, and no other field has one', (name, field) => {
  const message = toReceipt({ ...plain, [field]: `0x1${'0'.repeat(16)}` }, block)
  expect(message[name]).toBe(2n ** 64n - 1n)
  const exact = Object.entries(message).filter(([key, value]) => key.endsWith('Exact') && value !== undefined)
  expect(exact).toEqual([[`${name}Exact`, Buffer.from('010000000000000000', 'hex')]])
})

test('a receipt from before Byzantium has a state root and no status', () => {
  expect(toReceipt({ ...plain, root: '0xab' }, block)).toMatchObject({
    Root: Buffer.from('ab', 'hex'),
    Status: undefined,
  })
  expect(toReceipt({ ...plain, status: '0x0' }, block)).toMatchObject({ Root: undefined, Status: 0 })
})
