import { Signature, Transaction } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RpcTransaction } from '../../src/transaction/rpc-transaction.ts'
import { transactionSize } from './transaction-size.ts'

const bits = (most: number) =>
  fc.integer({ min: 0, max: most }).chain((count) => fc.bigInt({ min: 0n, max: 2n ** BigInt(count) - 1n }))
const data = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(toHex)
const payload = fc
  .oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 4, max: 400 }), fc.integer({ min: 65_400, max: 65_540 }))
  .chain((length) => fc.integer({ min: 0, max: 255 }).map((byte) => toHex(new Uint8Array(length).fill(byte))))
const signature = fc
  .record({ r: bits(250), s: bits(250), v: fc.constantFrom(27, 28) })
  .map(({ r, s, v }) => Signature.from({ r: to32Bytes(r), s: to32Bytes(s), v }))
const chainId = fc.bigInt({ min: 1n, max: 2n ** 40n })
const accessList = fc.array(fc.record({ address: data(20), storageKeys: fc.array(data(32), { maxLength: 3 }) }), {
  maxLength: 4,
})
const authorization = fc.record({ address: data(20), nonce: bits(64), chainId: bits(40), signature })

const shared = { nonce: bits(50).map(Number), gasLimit: bits(60), value: bits(255), data: payload, signature }
const legacy = { ...shared, type: fc.constant(0), gasPrice: bits(120), to: fc.option(data(20)) }
const typed = { ...shared, chainId, accessList }
const dynamic = { ...typed, to: data(20), maxFeePerGas: bits(120), maxPriorityFeePerGas: fc.constant(0n) }

const kinds: [string, fc.Arbitrary<object>][] = [
  ['a legacy transaction', fc.record({ ...legacy, chainId })],
  ['a legacy transaction without chain id', fc.record({ ...legacy, chainId: fc.constant(0n) })],
  [
    'an access list transaction',
    fc.record({ ...typed, type: fc.constant(1), to: fc.option(data(20)), gasPrice: bits(120) }),
  ],
  ['a dynamic fee transaction', fc.record({ ...dynamic, type: fc.constant(2) })],
  [
    'a blob transaction',
    fc.record({
      ...dynamic,
      type: fc.constant(3),
      maxFeePerBlobGas: bits(120),
      blobVersionedHashes: fc.array(data(32).map(toVersionedHash), { minLength: 1, maxLength: 6 }),
    }),
  ],
  [
    'a delegating transaction',
    fc.record({
      ...dynamic,
      type: fc.constant(4),
      authorizationList: fc.array(authorization, { minLength: 1, maxLength: 3 }),
    }),
  ],
]

test.each(kinds)('the size of %s is the length of its consensus encoding', (_, kind) => {
  fc.assert(
    fc.property(kind, (fields) => {
      const transaction = Transaction.from(fields)
      expect(transactionSize(toRpc(transaction))).toBe((transaction.serialized.length - 2) / 2)
    }),
    { numRuns: 50 },
  )
})

test('the size of a type that Ethereum does not have is 0', () => {
  expect(transactionSize({ ...toRpc(new Transaction()), type: '0x7e' })).toBe(0)
})

function toRpc(transaction: Transaction): RpcTransaction {
  const { signature, chainId, authorizationList } = transaction
  return {
    hash: '',
    blockHash: '',
    transactionIndex: '0x0',
    from: '',
    type: quantity(transaction.type),
    chainId: quantity(chainId),
    nonce: quantity(transaction.nonce),
    gas: quantity(transaction.gasLimit),
    gasPrice: quantity(transaction.gasPrice),
    maxFeePerGas: quantity(transaction.maxFeePerGas),
    maxPriorityFeePerGas: quantity(transaction.maxPriorityFeePerGas),
    maxFeePerBlobGas: quantity(transaction.maxFeePerBlobGas),
    to: transaction.to,
    value: quantity(transaction.value),
    input: transaction.data,
    accessList: transaction.accessList ?? [],
    blobVersionedHashes: transaction.blobVersionedHashes ?? [],
    authorizationList:
      authorizationList?.map((each) => ({
        chainId: quantity(each.chainId),
        address: each.address,
        nonce: quantity(each.nonce),
        ...toRpcSignature(each.signature),
      })) ?? [],
    ...toRpcSignature(signature),
    v: transaction.type === 0 && signature ? legacyV(signature, chainId) : null,
  }
}

function toRpcSignature(signature: Signature | null) {
  return {
    yParity: quantity(signature?.yParity),
    r: quantity(BigInt(signature?.r ?? 0)),
    s: quantity(BigInt(signature?.s ?? 0)),
  }
}

function legacyV(signature: Signature, chainId: bigint): string {
  return quantity(chainId === 0n ? signature.v : Signature.getChainIdV(chainId, signature.v))
}

function quantity(value: bigint | number | null | undefined): string {
  return `0x${(value ?? 0).toString(16)}`
}

function to32Bytes(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

function toVersionedHash(hash: string): string {
  return `0x01${hash.slice(4)}`
}

function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
