import { describe, expect, test } from 'vitest'
import { BlockUnavailableError, InvalidAnswerError } from '../errors.ts'
import { checkBlock, checkHeader } from './check-block.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}`
const header = { number: '0x5', hash: hash('a'), parentHash: hash('b'), timestamp: '0x1' }
const transaction = (index: number) => ({
  hash: hash(String(index)),
  blockHash: header.hash,
  transactionIndex: `0x${index.toString(16)}`,
  from: `0x${'1'.repeat(40)}`,
})
const block = { ...header, transactions: [transaction(0), transaction(1)] }

test('a block that is what was asked for is taken as it is', () => {
  expect(checkBlock(block, 5)).toBe(block)
  expect(checkHeader(header, 'finalized')).toBe(header)
})

test('a missing block is told from a wrong one', () => {
  expect(() => checkBlock(null, 5)).toThrow(BlockUnavailableError)
})

describe('is not believed:', () => {
  test.each<[string, unknown]>([
    ['no object', 'block'],
    ['another number', { ...block, number: '0x6' }],
    ['no number', { ...block, number: null }],
    ['no time', { ...block, timestamp: undefined }],
    ['a pending block', { ...block, hash: null }],
    ['a short hash', { ...block, hash: '0xaa' }],
    ['no parent hash', { ...block, parentHash: undefined }],
    ['no transactions', header],
    ['hashes of transactions only', { ...block, transactions: [hash('0'), hash('1')] }],
    ['a transaction of another block', { ...block, transactions: [{ ...transaction(0), blockHash: hash('c') }] }],
    ['a transaction missing', { ...block, transactions: [transaction(1)] }],
    ['a transaction twice', { ...block, transactions: [transaction(0), transaction(0)] }],
    ['a null among the transactions', { ...block, transactions: [null] }],
  ])('%s', (_, answer) => {
    expect(() => checkBlock(answer, 5)).toThrow(InvalidAnswerError)
  })
})
