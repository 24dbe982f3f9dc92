import { beforeAll, describe, expect, test } from 'vitest'
import { type RecordedBlock, readRecording } from '../../../testbed/recorded-chain/recording.ts'
import type { RpcBlock } from '../block/rpc-block.ts'
import { InvalidAnswerError, UnverifiableBlockError } from '../errors.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import type { RpcTransaction } from '../transaction/rpc-transaction.ts'
import { verifyReceipts } from './verify-receipts.ts'
import { verifyRoots } from './verify-roots.ts'

const other = `0x${'ab'.repeat(32)}`
/** Without blocks that have blobs: the recorded node returns a wrong transactionsRoot for these. */
let blocks: readonly RecordedBlock[]
beforeAll(async () => {
  const recorded = await readRecording()
  blocks = recorded.filter(({ block }) => block.transactions.every(({ type }) => type !== '0x3'))
})

/** The first recorded block with a matching transaction, which is changed. */
function changed(fits: (transaction: RpcTransaction) => boolean, change: object): RpcBlock {
  const { block } = blocks.find(({ block }) => block.transactions.some(fits))!
  const index = block.transactions.findIndex(fits)
  return { ...block, transactions: block.transactions.with(index, { ...block.transactions[index]!, ...change }) }
}
const any = () => true
const ofType = (type: string) => (transaction: RpcTransaction) => transaction.type === type

test('recorded blocks and receipts are valid', () => {
  expect(blocks.length).toBeGreaterThan(30)
  for (const { block, receipts } of blocks) {
    verifyRoots(block)
    verifyReceipts(receipts, block)
  }
})

describe('a block is refused with', () => {
  test.each<[string, () => RpcBlock]>([
    ['another value', () => changed(any, { value: '0x1234' })],
    ['another input', () => changed(any, { input: '0xabcd' })],
    ['another recipient', () => changed(any, { to: `0x${'ab'.repeat(20)}` })],
    ['another hash of a transaction', () => changed(any, { hash: other })],
    ['another state root', () => ({ ...blocks[0]!.block, stateRoot: other })],
    ['another time', () => ({ ...blocks[0]!.block, timestamp: '0x1' })],
    ['another hash', () => ({ ...blocks[0]!.block, hash: other })],
    ['another price', () => changed(ofType('0x2'), { gasPrice: '0x1' })],
    ['no price', () => changed(ofType('0x2'), { gasPrice: undefined })],
    ['a long price that is not hex', () => changed(ofType('0x2'), { gasPrice: `0x${'g'.repeat(20)}` })],
    ['a v that is not the yParity', () => changed(ofType('0x2'), { v: '0x7' })],
    ['another access list', () => changed(ofType('0x1'), { accessList: [] })],
    [
      'an access list where the type has none',
      () => changed(ofType('0x0'), { accessList: [{ address: '0x', storageKeys: [] }] }),
    ],
    ['a cap where the type has none', () => changed(ofType('0x0'), { maxFeePerGas: '0x1' })],
    ['another chain id', () => changed(({ type, chainId }) => type === '0x0' && !!chainId, { chainId: '0x1' })],
    ['blobs where the type has none', () => changed(ofType('0x2'), { blobVersionedHashes: [other] })],
    ['a blob fee where the type has none', () => changed(ofType('0x2'), { maxFeePerBlobGas: '0x1' })],
    ['authorizations where the type has none', () => changed(ofType('0x2'), { authorizationList: [{}] })],
    ['another authorization', () => changed(ofType('0x4'), { authorizationList: [] })],
  ])('%s', (_, make) => {
    const block = make()
    expect(() => verifyRoots(block)).toThrow(InvalidAnswerError)
  })

  test('a missing last transaction', () => {
    for (const { block } of blocks.filter(({ block }) => block.transactions.length > 0))
      expect(() => verifyRoots({ ...block, transactions: block.transactions.slice(0, -1) })).toThrow(InvalidAnswerError)
  })
})

test('a type that Ethereum does not have cannot be verified', () => {
  expect(() => verifyRoots(changed(any, { type: '0x7e' }))).toThrow(UnverifiableBlockError)
})

describe('receipts are refused with', () => {
  test.each<[string, (receipt: RpcReceipt) => object]>([
    ['another status', ({ status }) => ({ status: status === '0x1' ? '0x0' : '0x1' })],
    ['other gas', () => ({ gasUsed: '0x1' })],
    ['another cumulative gas', ({ cumulativeGasUsed }) => ({ cumulativeGasUsed: `${cumulativeGasUsed}0` })],
    ['another price', () => ({ effectiveGasPrice: '0x1' })],
    ['another type', () => ({ type: '0x3' })],
    ['another sender', () => ({ from: `0x${'ab'.repeat(20)}` })],
    ['another recipient', () => ({ to: `0x${'ab'.repeat(20)}` })],
    ['other blooms', () => ({ logsBloom: '0x00' })],
    ['no logs', () => ({ logs: [] })],
    ['another topic', ({ logs }) => ({ logs: logs.map((log) => ({ ...log, topics: [other] })) })],
    ['other data', ({ logs }) => ({ logs: logs.map((log) => ({ ...log, data: '0xab' })) })],
  ])('%s', (_, change) => {
    const hasLogs = ({ logs }: RpcReceipt) => logs.length > 0
    const { block, receipts } = blocks.find(({ receipts }) => receipts.some(hasLogs))!
    const index = receipts.findIndex(hasLogs)
    const wrong = receipts.with(index, { ...receipts[index]!, ...change(receipts[index]!) })
    expect(() => verifyReceipts(wrong, block)).toThrow(InvalidAnswerError)
  })
})
