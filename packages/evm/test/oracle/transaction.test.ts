import { expect, test } from 'vitest'
import type { RpcTransaction } from '../../src/transaction/rpc-transaction.ts'
import { toBlock } from './block.ts'
import { toTransaction } from './transaction.ts'

const hash = `0x${'a'.repeat(64)}`
const block = toBlock({ number: '0x7', hash, parentHash: hash, timestamp: '0x64', transactions: [] })

test('a deposit of an OP chain is mapped although Ethereum has no such type', () => {
  const deposit: RpcTransaction & Record<string, unknown> = {
    hash,
    blockHash: hash,
    transactionIndex: '0x0',
    from: '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001',
    type: '0x7e',
    nonce: '0x2',
    gas: '0xf4240',
    to: '0x4200000000000000000000000000000000000015',
    value: '0x0',
    input: '0x440a5e20',
    sourceHash: hash,
    mint: '0x0',
  }
  expect(toTransaction(deposit, block)).toMatchObject({
    Type: 0x7e,
    Size: 0,
    Price: 0n,
    V: 0n,
    ChainId: undefined,
    AccountNonce: 2n,
    Payload: Buffer.from('440a5e20', 'hex'),
    BlockNumber: 7n,
    ts: { seconds: 100n, nanos: 0 },
  })
})

const plain: RpcTransaction = { hash, blockHash: hash, transactionIndex: '0x0', from: '0x' }

test('the parity is published from either of its names', () => {
  expect(toTransaction({ ...plain, type: '0x2', yParity: '0x1' }, block).V).toBe(1n)
  expect(toTransaction({ ...plain, type: '0x0', v: '0x25', yParity: '0x0' }, block).V).toBe(37n)
})

test.each([
  ['Price', 'gasPrice'],
  ['Amount', 'value'],
  ['V', 'v'],
  ['R', 'r'],
  ['S', 's'],
  ['ChainId', 'chainId'],
  ['MaxFeePerGas', 'maxFeePerGas'],
  ['MaxPriorityFeePerGas', 'maxPriorityFeePerGas'],
  ['MaxFeePerBlobGas', 'maxFeePerBlobGas'],
] as const)('%s above 2^64 − 1 saturates and keeps its exact value, and no other field has one', (name, field) => {
  const message = toTransaction({ ...plain, [field]: `0x1${'0'.repeat(16)}` }, block)
  expect(message[name]).toBe(2n ** 64n - 1n)
  const exact = Object.entries(message).filter(([key, value]) => key.endsWith('Exact') && value !== undefined)
  expect(exact).toEqual([[`${name}Exact`, Buffer.from('010000000000000000', 'hex')]])
  const small = toTransaction({ ...plain, [field]: '0x7' }, block)
  expect([small[name], small[`${name}Exact`]]).toEqual([7n, undefined])
})
