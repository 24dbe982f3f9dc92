/** The program of an encoder thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { AnswerProblem } from './answer-problem.ts'
import { createBlockEncoder, type EncodedBlock } from './block-encoder.ts'
import { bindMessages } from './bound-table.ts'
import { type BlockOfReceipts, createReceiptEncoder, type EncodedReceipts } from './receipt-encoder.ts'

export interface ThreadRequest {
  readonly id: number
  readonly json: Uint8Array<ArrayBuffer>
  /** Of a block. */
  readonly asked?: number
  /** Of receipts. */
  readonly block?: BlockOfReceipts
}

export interface ThreadAnswer {
  readonly id: number
  readonly encoded?: EncodedBlock | EncodedReceipts
  readonly problem?: AnswerProblem
}

const messages = bindMessages(workerData)
const [encodeBlock, encodeReceipts] = [createBlockEncoder(messages), createReceiptEncoder(messages)]

parentPort!.on('message', ({ id, json, asked, block }: ThreadRequest) => {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
  try {
    const encoded = block ? encodeReceipts(bytes, block) : encodeBlock(bytes, asked!)
    const memory = new Set([json.buffer, ...Object.values(encoded.messages).flatMap((each) => each[0]?.buffer ?? [])])
    parentPort!.postMessage({ id, encoded }, [...memory] as ArrayBuffer[])
  } catch (error) {
    if (!(error instanceof AnswerProblem)) throw error
    const { subject, difference, kind } = error
    parentPort!.postMessage({ id, problem: { subject, difference, kind } })
  }
})
