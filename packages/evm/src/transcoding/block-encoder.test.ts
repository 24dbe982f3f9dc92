import { describe, expect, test } from 'vitest'
import { inHex, oracleMessages } from '../../test/oracle/oracle-messages.ts'
import { encodeBlock, toJson } from '../../test/transcoding/encode-answer.ts'
import { InvalidAnswerError } from '../errors.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}`
const header = { number: '0x5', hash: hash('a'), parentHash: hash('b'), timestamp: '0x1' }
const transaction = (index: number) => ({
  hash: hash(String(index)),
  blockHash: header.hash,
  transactionIndex: `0x${index.toString(16)}`,
  from: `0x${'1'.repeat(40)}`,
  gas: '0x5208',
  input: '0xabcd',
  r: '0x1',
})
const block = { ...header, transactions: [transaction(0), transaction(1)] }
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const changed = (change: object) => ({ ...block, transactions: [{ ...transaction(0), ...change }, transaction(1)] })

const encode = (answer: unknown) => encodeBlock(toJson(answer), 5)

test('a requested block is encoded, and described for the other parts of the source', () => {
  const answer = { ...block, transactionsRoot: hash('c'), gasUsed: '0x7' }
  const encoded = encode(answer)
  expect(encoded).toMatchObject({
    ...{ number: 5, hash: header.hash, parentHash: header.parentHash },
    ...{ transactionsRoot: hash('c'), gasUsed: '0x7', hashes: [hash('0'), hash('1')] },
  })
  expect(JSON.parse(encoded.json.toString())).toEqual(answer)
  expect(inHex(encoded.messages)).toEqual(oracleMessages(answer, 5))
})

test.each<[string, object]>([
  [
    'with an access list and an absent recipient',
    changed({ accessList: [{ address: '0xab', storageKeys: [] }], to: null }),
  ],
  [
    'without transactions, with the root of an empty list',
    { ...header, transactions: [], transactionsRoot: emptyRoot },
  ],
  ['without transactions, of a chain without roots', { ...header, transactions: [], transactionsRoot: hash('0') }],
  [
    'with a transaction that the chain itself has added and that no root includes',
    { ...header, transactions: [{ ...transaction(0), r: '0x0' }], transactionsRoot: emptyRoot },
  ],
])('a block is accepted %s', (_, answer) => {
  expect(inHex(encode(answer).messages)).toEqual(oracleMessages(answer, 5))
})

describe('a block is refused with', () => {
  test.each<[string, unknown]>([
    ['a value that is not an object', 'block'],
    ['null', null],
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
    ['transactions and the root of an empty list', { ...block, transactionsRoot: emptyRoot }],
    ['a field that is not hex', { ...block, gasUsed: 'abc' }],
    ['a field that is a number', { ...block, gasUsed: 7 }],
    ['data of half a byte', { ...block, extraData: '0xabc' }],
    ['a time beyond the year 9999', { ...block, timestamp: '0x3afff44180' }],
    ['a field of a transaction that is not hex', changed({ gas: '0xg' })],
    ['a long quantity without an exact field that is not hex', changed({ nonce: `0x${'g'.repeat(20)}` })],
    ['a type beyond 32 bits', changed({ type: '0x100000000' })],
    ['data without 0x', changed({ input: 'abcd' })],
    ['an access list that is not a list', changed({ accessList: {} })],
    ['an access list without storage keys', changed({ accessList: [{ address: '0xab' }] })],
    ['blob hashes that are not hex', changed({ blobVersionedHashes: [1] })],
    ['an authorization that is not an object', changed({ authorizationList: [null] })],
    ['an authorization with a field that is not hex', changed({ authorizationList: [{ address: '0x', nonce: 'x' }] })],
  ])('%s', (_, answer) => {
    expect(() => encode(answer)).toThrow(InvalidAnswerError)
  })
})
