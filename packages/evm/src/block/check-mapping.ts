import { toLogs } from '../receipt/log.ts'
import { toReceipt } from '../receipt/receipt.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import { toTransaction } from '../transaction/transaction.ts'
import { toBlock } from './block.ts'
import type { RpcBlock } from './rpc-block.ts'

/**
 * Checks that messages can be made of a block and its transactions, to the last digit, by making them.
 *
 * @throws {InvalidAnswerError}
 */
export function checkBlockMapping(block: RpcBlock): void {
  const message = toBlock(block)
  for (const transaction of block.transactions) toTransaction(transaction, message)
}

/** As `checkBlockMapping`, of receipts and their logs. */
export function checkReceiptMapping(receipts: readonly RpcReceipt[], block: RpcBlock): void {
  const message = toBlock(block)
  for (const receipt of receipts) {
    toReceipt(receipt, message)
    toLogs(receipt, message)
  }
}
