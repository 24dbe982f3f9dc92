import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { withExtremes } from '../../../testbed/recorded-chain/extreme-blocks.ts'
import { readRecording } from '../../../testbed/recorded-chain/recording.ts'
import { inHex } from '../../test/oracle/oracle-messages.ts'
import { encodeBlock, encodeReceipts, toJson } from '../../test/transcoding/encode-answer.ts'
import { ContradictedBlockError, InvalidAnswerError } from '../errors.ts'
import { findResult } from '../rpc/find-result.ts'
import { declareBlockMessages } from './block-messages.ts'
import { createEncoderThread, type EncoderThread } from './encoder-thread.ts'
import { MissingReceiptsError } from './encoders.ts'

let thread: EncoderThread
beforeEach(() => {
  thread = createEncoderThread(declareBlockMessages(undefined, { receipts: true, logs: true }))
})
afterEach(() => thread.close())

/** The result in the answer of a node, in memory of its own, as `sendForJson` returns it. */
function resultOf(answer: unknown): Buffer {
  const text = `{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(answer)}}`
  const body = Buffer.from(new TextEncoder().encode(text).buffer)
  return findResult(body)!
}

const hash = (digit: string) => `0x${digit.repeat(64)}`
const small = { number: '0x5', hash: hash('a'), parentHash: hash('b'), timestamp: '0x1', transactions: [] }

test('concurrent answers are encoded as outside of the thread', async () => {
  const recorded = withExtremes(await readRecording()).slice(-40)
  await Promise.all(
    recorded.map(async ({ block, receipts }) => {
      const number = Number(block.number)
      const [inside, outside] = [await thread.block(resultOf(block), number), encodeBlock(toJson(block), number)]
      expect({ ...inside, messages: inHex(inside.messages), shared: [] }).toEqual({
        ...{ ...outside, messages: inHex(outside.messages), shared: [] },
      })
      const ofReceipts = [await thread.receipts(resultOf(receipts), inside), encodeReceipts(toJson(receipts), outside)]
      const [one, other] = ofReceipts.map((each) => ({ ...each, messages: inHex(each.messages) }))
      expect(one).toEqual(other)
    }),
  )
})

test.each<[string, () => Buffer]>([
  ['that shares memory with others', () => toJson(small)],
  ['in an answer of its own', () => resultOf(small)],
  [
    'in a longer answer',
    () =>
      Buffer.from(new Uint8Array(100_000))
        .fill(toJson(small), 90_000, 90_000 + toJson(small).length)
        .subarray(90_000, 90_000 + toJson(small).length),
  ],
])('a short result %s is encoded, and stays readable', async (_, json) => {
  const { json: returned, hash } = await thread.block(json(), 5)
  expect(hash).toBe(small.hash)
  expect(JSON.parse(returned.toString())).toEqual(small)
})

describe('an invalid answer is refused as outside of the thread, and later ones are encoded:', () => {
  test('a block', async () => {
    await expect(thread.block(resultOf({ ...small, gasUsed: 'x' }), 5)).rejects.toThrow(InvalidAnswerError)
    await expect(thread.block(Buffer.from('{"number":'), 5)).rejects.toThrow(InvalidAnswerError)
    expect((await thread.block(resultOf(small), 5)).number).toBe(5)
  })

  test('receipts', async () => {
    const block = await thread.block(resultOf(small), 5)
    await expect(thread.receipts(resultOf([{}]), block)).rejects.toThrow(ContradictedBlockError)
    await expect(thread.receipts(resultOf({}), block)).rejects.toThrow(InvalidAnswerError)
    const withTransaction = { ...block, hashes: [hash('c')] }
    await expect(thread.receipts(resultOf([]), withTransaction)).rejects.toThrow(MissingReceiptsError)
    expect((await thread.receipts(resultOf([]), block)).messages).toEqual({ Receipt: [], Log: [] })
  })
})

test('an answer that arrives when the thread is closed disturbs nobody', async () => {
  for (let number = 0; number < 20; number++) void thread.block(resultOf(small), 5)
  await thread.block(resultOf(small), 5)
  for (let number = 0; number < 20; number++) void thread.block(resultOf(small), 5)
  thread.close()
  const other = createEncoderThread(declareBlockMessages(undefined, { receipts: true, logs: true }))
  expect((await other.block(resultOf(small), 5)).number).toBe(5)
  other.close()
})
