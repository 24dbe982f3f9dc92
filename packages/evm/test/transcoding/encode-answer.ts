import type { EncodedBlock } from '../../src/transcoding/block-encoder.ts'
import { declareBlockMessages } from '../../src/transcoding/block-messages.ts'
import { createEncoders } from '../../src/transcoding/encoders.ts'
import type { BlockOfReceipts, EncodedReceipts } from '../../src/transcoding/receipt-encoder.ts'

/** Encodes all messages with all fields, in this thread. */
const encoders = createEncoders(declareBlockMessages(undefined, { receipts: true, logs: true }))

/** @throws {InvalidAnswerError} */
export function encodeBlock(json: Buffer, asked: number): EncodedBlock {
  return encoders.block(json, asked) as EncodedBlock
}

/** @throws {InvalidAnswerError | ContradictedBlockError} */
export function encodeReceipts(json: Buffer, block: BlockOfReceipts): EncodedReceipts {
  return encoders.receipts(json, block) as EncodedReceipts
}

export function toJson(answer: unknown): Buffer {
  return Buffer.from(JSON.stringify(answer))
}
