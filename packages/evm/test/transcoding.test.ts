import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { createRandom } from '../../testbed/random.ts'
import { withExtremes } from '../../testbed/recorded-chain/extreme-blocks.ts'
import { readRecording } from '../../testbed/recorded-chain/recording.ts'
import { InvalidAnswerError } from '../src/errors.ts'
import { inHex, oracleMessages } from './oracle/oracle-messages.ts'
import { type Comparison, compareBlock, compareReceipts, encodedBlock } from './transcoding/compare-answer.ts'
import { encodeBlock, encodeReceipts, toJson } from './transcoding/encode-answer.ts'
import { generatedAnswers } from './transcoding/generated-answers.ts'
import { compareMutatedAnswers } from './transcoding/mutated-answers.ts'
import { printJson } from './transcoding/print-json.ts'

const hash = (digit: string): string => `0x${digit.repeat(64)}`
const small = {
  ...{
    number: '0x5',
    hash: hash('a'),
    parentHash: hash('b'),
    timestamp: '0x1',
    extraData: '0xabcd',
    other: { a: [1] },
  },
  transactions: [
    {
      ...{ hash: hash('c'), blockHash: hash('a'), transactionIndex: '0x0', from: `0x${'1'.repeat(40)}`, type: '0x2' },
      ...{ input: '0xabcd', accessList: [{ address: '0xab', storageKeys: [hash('d')] }], to: null, l1Fee: -1.5e3 },
    },
  ],
}

test('the messages of the recorded chain are those of the oracle, byte for byte', async () => {
  let transactions = 0
  for (const { block, receipts } of withExtremes(await readRecording())) {
    const number = Number(block.number)
    const encoded = encodeBlock(toJson(block), number)
    const { messages } = encodeReceipts(toJson(receipts), encoded)
    const found = inHex({ ...encoded.messages, ...messages })
    expect(JSON.stringify(found)).toBe(JSON.stringify(oracleMessages(block, number, receipts)))
    transactions += receipts.length
  }
  expect(transactions).toBeGreaterThan(700)
})

test('a generated block and its receipts in any form of JSON are encoded as by the oracle, or refused by both', () => {
  const counts: Record<Comparison, number> = { equal: 0, refused: 0, refused_twice: 0 }
  const others = fc.array(fc.jsonValue(), { maxLength: 4 })
  fc.assert(
    fc.property(generatedAnswers, others, fc.integer(), ({ number, block, receipts }, others, seed) => {
      const random = createRandom(seed)
      const json = Buffer.from(printJson(block, others, random))
      const compared = compareBlock(json, number)
      counts[compared]++
      if (compared === 'equal')
        counts[compareReceipts(Buffer.from(printJson(receipts, others, random)), encodedBlock(json, number))]++
    }),
    { numRuns: 400, seed: inject('faultSeed') },
  )
  expect(counts.equal).toBeGreaterThan(400)
  expect(counts.refused).toBeGreaterThan(10)
})

test('a mutated answer of a node is encoded as by the oracle, or refused', async () => {
  const counts = await compareMutatedAnswers(3_000, inject('faultSeed'))
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(100)
})

test('an answer that ends too early is refused, wherever it ends', () => {
  const json = toJson(small)
  expect(encodeBlock(json, 5).hashes).toHaveLength(1)
  for (let length = 0; length < json.length; length++)
    expect(() => encodeBlock(json.subarray(0, length), 5), `${length} bytes`).toThrow(InvalidAnswerError)
})

test.each([
  ['[', ']'],
  ['{"a":', '}'],
])('100,000 nested %j in a member that is not read do not exhaust the stack', (opening, closing) => {
  const nested = `${opening.repeat(100_000)}{}${closing.repeat(100_000)}`
  const withMember = (member: string) => Buffer.from(`{${member},${toJson(small).toString().slice(1)}`)
  expect(compareBlock(withMember(`"deep":${nested}`), 5)).toBe('equal')
  expect(compareBlock(withMember(`"deep":${nested.slice(0, -1)}`), 5)).toBe('refused')
  expect(compareBlock(withMember(`"miner":${nested}`), 5)).toBe('refused')
})

test('a transaction with 20 MB of input in a block of 40 MB is encoded as by the oracle', () => {
  const input = `0x${Buffer.alloc(20_000_000, Buffer.from([1, 2, 3, 0xfe])).toString('hex')}`
  const block = { ...small, transactions: [{ ...small.transactions[0], input }] }
  expect(compareBlock(toJson(block), 5)).toBe('equal')
})
