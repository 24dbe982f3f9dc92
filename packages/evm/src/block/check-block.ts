import { BlockUnavailableError, InvalidAnswerError } from '../errors.ts'
import { isHash } from '../quantity/field-shape.ts'
import { significantDigits, toNumber } from '../quantity/quantity.ts'
import { malformedTransactionField } from '../transaction/malformed-transaction-field.ts'
import type { RpcTransaction } from '../transaction/rpc-transaction.ts'
import { malformedBlockField } from './malformed-block-field.ts'
import type { RpcBlock, RpcHeader } from './rpc-block.ts'

/** What a node was asked for. */
export type BlockName = number | 'earliest' | 'latest' | 'finalized'

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
 * Checks an answer that is to have whole transactions: each lies in this block, at its place, and what is published of
 * them and of the block has the shape of what it is to hold. There are none under the root of none.
 *
 * It does not see that transactions are missing. Their root tells, their receipts, or a count of them.
 *
 * @throws {BlockUnavailableError} the answer is `null`.
 * @throws {InvalidAnswerError}
 */
export function checkBlock(answer: unknown, asked: BlockName): RpcBlock {
  const block = checkHeader(answer, asked) as RpcBlock
  const malformed = malformedBlockField(block)
  if (malformed) throw invalid(asked, `it has no valid ${malformed}`)
  if (!Array.isArray(block.transactions)) throw invalid(asked, 'it has no list of transactions')
  for (const [index, transaction] of block.transactions.entries()) checkTransaction(transaction, index, block, asked)
  if (contradictsRoot(block)) throw invalid(asked, 'it holds transactions under the root of none')
  return block
}

/** Whether a block that names this root of its transactions has none. Chains that have no such tries name zero. */
export function isRootOfNone(transactionsRoot: string): boolean {
  return transactionsRoot === emptyRoot || significantDigits(transactionsRoot) === 0
}

/** The root of a trie that holds nothing (Ethereum yellow paper, 4.4.3). */
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

function checkTransaction(transaction: RpcTransaction, index: number, block: RpcBlock, asked: BlockName): void {
  if (!isHash(transaction?.hash)) throw invalid(asked, `transaction ${index} has no valid hash`)
  if (transaction.blockHash !== block.hash) throw invalid(asked, `transaction ${index} is of another block`)
  if (toNumber(transaction.transactionIndex) !== index) throw invalid(asked, `transaction ${index} is out of place`)
  const malformed = malformedTransactionField(transaction)
  if (malformed) throw invalid(asked, `transaction ${index} has no valid ${malformed}`)
}

/** What a chain itself adds, unsigned, is not in the root (Bor). */
function contradictsRoot({ transactionsRoot, transactions }: RpcBlock): boolean {
  return transactionsRoot === emptyRoot && transactions.some(({ r }) => r && significantDigits(r) > 0)
}

function invalid(asked: BlockName, difference: string): InvalidAnswerError {
  return new InvalidAnswerError(`block ${asked}`, difference)
}
