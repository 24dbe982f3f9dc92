import type { PublishedMessage } from '@headrace/sdk'
import { expect, test } from 'vitest'
import { checkBlockParts } from './check-block-parts.ts'
import type { PublishedBlock } from './published-block.ts'

const most = 2 ** 32 - 1
const all = new Set(['Block', 'Transaction', 'Receipt', 'Log'])

function record(name: string, seq: number, message: object): PublishedMessage {
  const own = { BlockHash: '0xb', BlockNumber: '7', ...message } as PublishedMessage['message']
  return { topic: name, partition: 0, offset: BigInt(seq), seq, unit: 8, message: own }
}

/** Block 7 with three transactions. Each has a receipt and a log. */
const transaction = (index: number) => record('Transaction', index, { TransactionIndex: index, Hash: `0x${index}` })
const receipt = (index: number) =>
  record('Receipt', index, { TransactionIndex: index, TransactionHash: `0x${index}`, LogCount: 1 })
const log = (index: number) => record('Log', index, { LogIndex: index })
const indexes = [0, 1, 2]
const parts = { Transaction: indexes.map(transaction), Receipt: indexes.map(receipt), Log: indexes.map(log) }

function blockWith(transactionCount: number): PublishedBlock {
  return { record: record('Block', 0, {}), number: 7, hash: '0xb', parentHash: '0xa', transactionCount }
}

test('a complete block has no findings', () => {
  expect(checkBlockParts(blockWith(3), parts, all)).toEqual([])
})

test.each([
  [most, { code: 'missing_in_block', expected: Array.from({ length: 20 }, (_, index) => index + 3) }],
  [2, { code: 'unexpected_in_block', expected: 2, found: [2] }],
  [0, { code: 'unexpected_in_block', expected: 0, found: [0, 1, 2] }],
])('a wrong number of transactions, %i, is one finding, which lists at most 20 transactions', (count, finding) => {
  expect(checkBlockParts(blockWith(count), parts, all)).toMatchObject([finding])
})

test('missing transactions and missing receipts are two findings', () => {
  const few = { ...parts, Transaction: [transaction(0), transaction(2)], Receipt: [receipt(1), receipt(2)] }
  expect(checkBlockParts(blockWith(3), few, new Set(['Transaction', 'Receipt']))).toMatchObject([
    { code: 'missing_in_block', topic: 'Transaction', expected: [1] },
    { code: 'missing_in_block', topic: 'Receipt', expected: [0] },
  ])
})

test('one log with an impossible index is one finding', () => {
  const Log = [log(0), log(1), record('Log', 2, { LogIndex: most })]
  const expected = Array.from({ length: 20 }, (_, index) => index + 2)
  expect(checkBlockParts(blockWith(3), { ...parts, Log }, new Set(['Log']))).toMatchObject([
    { code: 'missing_in_block', expected },
  ])
  expect(checkBlockParts(blockWith(3), { ...parts, Log }, all)).toMatchObject([
    { code: 'unexpected_in_block', expected: 3, found: [most] },
  ])
})

test('a transaction that is published in place of another is reported as repeated, and the other as missing', () => {
  const Transaction = [transaction(0), transaction(1), transaction(1)]
  expect(checkBlockParts(blockWith(3), { ...parts, Transaction }, all)).toMatchObject([
    { code: 'repeated_in_block', seq: 1, found: '0x1' },
    { code: 'missing_in_block', expected: [2] },
  ])
})
