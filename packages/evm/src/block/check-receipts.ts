import { ContradictedBlockError, InvalidAnswerError } from '../errors.ts'
import { toNumber } from '../quantity/quantity.ts'
import { malformedReceiptField } from '../receipt/malformed-receipt-field.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import type { RpcBlock } from './rpc-block.ts'

/**
 * Checks the receipts of a block: one for each transaction, in order, of this very block, with logs of theirs, and all
 * that is published of them can be mapped.
 *
 * @throws {ContradictedBlockError} they are of this block, but of other transactions, or of more, than it holds.
 * @throws {InvalidAnswerError}
 */
export function checkReceipts(answer: unknown, block: RpcBlock): readonly RpcReceipt[] {
  const { transactions } = block
  if (!Array.isArray(answer)) throw invalid(block, 'they are no list')
  if (answer.length < transactions.length) throw invalid(block, countsOf(answer, block))
  if (answer.length > transactions.length) throw contradicted(block, countsOf(answer, block))
  let logs = 0
  for (const [index, receipt] of answer.entries() as Iterable<[number, RpcReceipt | null]>) {
    if (receipt?.blockHash !== block.hash) throw invalid(block, `number ${index} is of another block`)
    if (receipt.transactionHash !== transactions[index]!.hash)
      throw contradicted(block, `number ${index} is of another transaction`)
    if (toNumber(receipt.transactionIndex) !== index) throw invalid(block, `number ${index} is out of place`)
    const malformed = malformedReceiptField(receipt)
    if (malformed) throw invalid(block, `number ${index} has no valid ${malformed}`)
    for (const log of receipt.logs)
      if (toNumber(log.logIndex) !== logs++) throw invalid(block, `a log of number ${index} is out of place`)
  }
  return answer
}

function countsOf(receipts: readonly unknown[], { transactions }: RpcBlock): string {
  return `there are ${receipts.length} for ${transactions.length} transactions`
}

function contradicted({ number }: RpcBlock, difference: string): ContradictedBlockError {
  return new ContradictedBlockError(`the receipts of block ${toNumber(number)}`, difference)
}

function invalid({ number }: RpcBlock, difference: string): InvalidAnswerError {
  return new InvalidAnswerError(`the receipts of block ${toNumber(number)}`, difference)
}
