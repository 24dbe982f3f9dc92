import { BlockUnavailableError, InvalidAnswerError } from '../errors.ts'
import { toNumber } from '../quantity/quantity.ts'
import type { RpcBlock, RpcHeader } from './rpc-block.ts'

/** What a node was asked for. */
export type BlockName = number | 'earliest' | 'finalized'

/**
 * Checks an answer to `eth_getBlockByNumber`: it is the block asked for, and its hashes have the shape of hashes.
 *
 * @throws {BlockUnavailableError} the answer is `null`.
 * @throws {InvalidAnswerError}
 */
export function checkHeader(answer: unknown, asked: BlockName): RpcHeader {
  if (answer === null) throw new BlockUnavailableError(asked)
  if (typeof answer !== 'object') throw invalid(asked, 'it is no object')
  const header = answer as RpcHeader
  if (!isHash(header.hash)) throw invalid(asked, 'it has no valid hash')
  if (!isHash(header.parentHash)) throw invalid(asked, 'it has no valid parentHash')
  if (typeof header.number !== 'string') throw invalid(asked, 'it has no number')
  if (typeof header.timestamp !== 'string') throw invalid(asked, 'it has no timestamp')
  if (typeof asked === 'number' && toNumber(header.number) !== asked) {
    throw invalid(asked, `it is block ${toNumber(header.number)}`)
  }
  return header
}

/**
 * Checks an answer that is to have whole transactions: each lies in this block, at its place.
 *
 * @throws {BlockUnavailableError} the answer is `null`.
 * @throws {InvalidAnswerError}
 */
export function checkBlock(answer: unknown, asked: BlockName): RpcBlock {
  const block = checkHeader(answer, asked) as RpcBlock
  if (!Array.isArray(block.transactions)) throw invalid(asked, 'it has no list of transactions')
  for (const [index, transaction] of block.transactions.entries()) {
    if (!isHash(transaction?.hash)) throw invalid(asked, `transaction ${index} has no valid hash`)
    if (transaction.blockHash !== block.hash) throw invalid(asked, `transaction ${index} is of another block`)
    if (toNumber(transaction.transactionIndex) !== index) throw invalid(asked, `transaction ${index} is out of place`)
  }
  return block
}

const hashShape = /^0x[0-9a-f]{64}$/

function isHash(value: unknown): boolean {
  return typeof value === 'string' && hashShape.test(value)
}

function invalid(asked: BlockName, difference: string): InvalidAnswerError {
  return new InvalidAnswerError(`block ${asked}`, difference)
}
