import { describe, expect, test } from 'vitest'
import { inHex, oracleMessages } from '../../test/oracle/oracle-messages.ts'
import { encodeBlock, encodeReceipts, toJson } from '../../test/transcoding/encode-answer.ts'
import type { RpcBlock } from '../block/rpc-block.ts'
import { ContradictedBlockError, InvalidAnswerError } from '../errors.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}`
const place = (index: number) => ({ blockHash: hash('a'), transactionIndex: `0x${index.toString(16)}` })
const transactions = [0, 1].map((index) => ({ ...place(index), hash: hash(String(index)), from: '0x' }))
const block: RpcBlock = { number: '0x5', hash: hash('a'), parentHash: hash('b'), timestamp: '0x1', transactions }
const log = (index: number) => ({
  logIndex: `0x${index}`,
  address: `0x${'ab'.repeat(20)}`,
  topics: [hash('d')],
  data: '0x',
})
const receipt = (index: number) => ({
  ...place(index),
  transactionHash: hash(String(index)),
  cumulativeGasUsed: '0x5208',
  logs: [log(2 * index), log(2 * index + 1)],
})
const answer = [receipt(0), receipt(1)]
const changed = (change: object) => [receipt(0), { ...receipt(1), ...change }]

const encoded = encodeBlock(toJson(block), 5)
const encode = (receipts: unknown) => encodeReceipts(toJson(receipts), encoded)

test('receipts that match their block are encoded with their logs', () => {
  const { json, cumulativeGasUsed, messages } = encode(answer)
  expect(JSON.parse(json.toString())).toEqual(answer)
  expect(cumulativeGasUsed).toBe('0x5208')
  expect(inHex({ ...encoded.messages, ...messages })).toEqual(oracleMessages(block, 5, answer))
})

describe('receipts are refused:', () => {
  test.each<[string, unknown]>([
    ['one too many', [...answer, receipt(2)]],
    ['in another order', [receipt(1), receipt(0)]],
  ])('%s, which contradicts the block', (_, receipts) => {
    expect(() => encode(receipts)).toThrow(ContradictedBlockError)
  })

  test.each<[string, unknown]>([
    ['a value that is not a list', null],
    ['one too few', [receipt(0)]],
    ['a null among them', [null, receipt(1)]],
    ['of another block', changed({ blockHash: hash('c') })],
    ['out of place', changed({ transactionIndex: '0x0' })],
    ['without logs', changed({ logs: undefined })],
    ['a log missing', changed({ logs: [log(3)] })],
    ['a null among the logs', changed({ logs: [null] })],
    ['a log without topics', changed({ logs: [{ ...log(2), topics: undefined }] })],
    ['a log without data', changed({ logs: [{ ...log(2), data: undefined }, log(3)] })],
    ['a log whose address is too short', changed({ logs: [{ ...log(2), address: '0xab' }, log(3)] })],
    ['a log whose address is not hex', changed({ logs: [{ ...log(2), address: `0x${'z'.repeat(40)}` }, log(3)] })],
    ['a topic that is not hex', changed({ logs: [{ ...log(2), topics: [`0x${'z'.repeat(64)}`] }, log(3)] })],
    ['a topic in upper case', changed({ logs: [{ ...log(2), topics: [hash('D')] }, log(3)] })],
    ['a topic of 31 bytes', changed({ logs: [{ ...log(2), topics: [hash('d').slice(0, -2)] }, log(3)] })],
    ['a field that is not hex', changed({ gasUsed: 'abc' })],
    ['a status that is true', changed({ status: true })],
  ])('%s', (_, receipts) => {
    expect(() => encode(receipts)).toThrow(InvalidAnswerError)
  })
})
