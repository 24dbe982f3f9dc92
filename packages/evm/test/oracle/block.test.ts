import { expect, test } from 'vitest'
import type { RpcBlock } from '../../src/block/rpc-block.ts'
import { toBlock } from './block.ts'

const hash = `0x${'a'.repeat(64)}`
const plain: RpcBlock = { number: '0x7', hash, parentHash: hash, timestamp: '0x64', transactions: [] }

test.each([
  ['Difficulty', 'difficulty'],
  ['BaseFee', 'baseFeePerGas'],
] as const)('%s above 2^64 − 1 saturates and keeps its exact value, and no other field has one', (name, field) => {
  const message = toBlock({ ...plain, [field]: `0x1${'0'.repeat(16)}` })
  expect(message[name]).toBe(2n ** 64n - 1n)
  const exact = Object.entries(message).filter(([key, value]) => key.endsWith('Exact') && value !== undefined)
  expect(exact).toEqual([[`${name}Exact`, Buffer.from('010000000000000000', 'hex')]])
})

test('fields that a chain does not have are absent, not 0', () => {
  const { BaseFee, BlobGasUsed, ExcessBlobGas, WithdrawalsRoot, RequestsHash } = toBlock(plain)
  expect([BaseFee, BlobGasUsed, ExcessBlobGas, WithdrawalsRoot, RequestsHash]).toEqual(Array(5).fill(undefined))
  expect(toBlock({ ...plain, baseFeePerGas: '0x0' }).BaseFee).toBe(0n)
})
