import type { RpcBlock } from '../block/rpc-block.ts'
import { InvalidAnswerError } from '../errors.ts'
import { type Hex, toNumber, toUint64 } from '../quantity/quantity.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import { encodeReceipt } from './encode-receipt.ts'
import { trieRoot } from './trie-root.ts'

/**
 * Checks that the root of a block's receipts is that of those given, and what follows from the transactions: type, sender,
 * recipient, the gas that each has used and its price. The address of a new contract, and what blobs have cost, is taken
 * as the node tells it.
 *
 * @throws {InvalidAnswerError}
 * @throws {UnverifiableBlockError} the chain has transactions of its own kinds.
 */
export function verifyReceipts(receipts: readonly RpcReceipt[], block: RpcBlock): void {
  let before = 0n
  for (const [index, receipt] of receipts.entries()) {
    const { type, from, to, gasPrice } = block.transactions[index]!
    const cumulative = toUint64(receipt.cumulativeGasUsed)
    if (toUint64(receipt.gasUsed) !== cumulative - before) throw invalid(block, `number ${index} has used other gas`)
    if (receipt.effectiveGasPrice && !isSame(receipt.effectiveGasPrice, gasPrice))
      throw invalid(block, `number ${index} has another gas price than its transaction`)
    if (toNumber(receipt.type) !== toNumber(type) || !isSame(receipt.from, from) || !isSame(receipt.to, to))
      throw invalid(block, `number ${index} has another type, sender or recipient than its transaction`)
    before = cumulative
  }
  if (trieRoot(receipts.map(encodeReceipt)) !== block.receiptsRoot)
    throw invalid(block, 'they do not have the root that its header names')
}

function isSame(one: Hex, other: Hex): boolean {
  return (one ?? '').toLowerCase() === (other ?? '').toLowerCase()
}

function invalid({ number }: RpcBlock, difference: string): InvalidAnswerError {
  return new InvalidAnswerError(`the receipts of block ${toNumber(number)}`, difference)
}
