import type { RpcBlock } from '../../src/block/rpc-block.ts'
import { ContradictedBlockError, InvalidAnswerError } from '../../src/errors.ts'
import { isHash, toNumber } from '../../src/quantity/quantity.ts'
import type { RpcLog, RpcReceipt } from '../../src/receipt/rpc-receipt.ts'
import { type FieldShapes, findMalformed, isAddress, isData } from './field-shape.ts'

/** @throws {ContradictedBlockError} they belong to other or more transactions than the block has. */
export function checkReceipts(answer: unknown, block: RpcBlock): readonly RpcReceipt[] {
  const { transactions } = block
  if (!Array.isArray(answer)) throw invalidReceipts(block, 'they are not a list')
  if (answer.length < transactions.length) throw invalidReceipts(block, countsOf(answer, block))
  if (answer.length > transactions.length) throw contradicted(block, countsOf(answer, block))
  let logs = 0
  for (const [index, receipt] of answer.entries() as Iterable<[number, RpcReceipt | null]>) {
    if (receipt?.blockHash !== block.hash) throw invalidReceipts(block, `number ${index} is of another block`)
    if (receipt.transactionHash !== transactions[index]!.hash)
      throw contradicted(block, `number ${index} is of another transaction`)
    if (toNumber(receipt.transactionIndex) !== index) throw invalidReceipts(block, `number ${index} has another index`)
    const malformed = malformedReceiptField(receipt)
    if (malformed) throw invalidReceipts(block, `number ${index} has no valid ${malformed}`)
    for (const log of receipt.logs)
      if (toNumber(log.logIndex) !== logs++) throw invalidReceipts(block, `a log of number ${index} has another index`)
  }
  return answer
}

function countsOf(receipts: readonly unknown[], { transactions }: RpcBlock): string {
  return `there are ${receipts.length} for ${transactions.length} transactions`
}

function contradicted({ number }: RpcBlock, difference: string): ContradictedBlockError {
  return new ContradictedBlockError(`the receipts of block ${toNumber(number)}`, difference)
}

export function invalidReceipts({ number }: RpcBlock, difference: string): InvalidAnswerError {
  return new InvalidAnswerError(`the receipts of block ${toNumber(number)}`, difference)
}

function malformedReceiptField(receipt: RpcReceipt): string | undefined {
  const name = findMalformed(receipt, receiptShapes)
  if (name) return name
  return Array.isArray(receipt.logs) && receipt.logs.every(isLog) ? undefined : 'logs'
}

const receiptShapes: FieldShapes<RpcReceipt> = {
  exact: ['effectiveGasPrice', 'blobGasPrice'],
  quantities: ['gasUsed', 'cumulativeGasUsed', 'blobGasUsed'],
  uint32s: ['type', 'status'],
  data: ['from', 'to', 'contractAddress', 'root', 'logsBloom'],
}

/** All digits are checked, because connectors select logs by address and topics. */
function isLog(log: Partial<RpcLog> | null): boolean {
  return isAddress(log?.address) && Array.isArray(log?.topics) && log.topics.every(isHash) && isData(log.data)
}
