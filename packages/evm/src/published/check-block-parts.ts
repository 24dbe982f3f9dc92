import type { PublishedMessage, VerifyFinding } from '@headrace/sdk'
import { checkParts } from './check-parts.ts'
import type { PublishedBlock } from './published-block.ts'

/** Records of a unit by short message name. */
export type RecordsByMessage = Readonly<Record<string, readonly PublishedMessage[] | undefined>>

/**
 * Checks that what is published of a block beside itself is its own, whole and in order. Only what is
 * published with it is checked.
 *
 * @param published Names of the messages that are published with the block.
 */
export function checkBlockParts(
  block: PublishedBlock,
  { Transaction = [], Receipt = [], Log = [] }: RecordsByMessage,
  published: ReadonlySet<string>,
): VerifyFinding[] {
  const { transactionCount: count } = block
  const transactions = {
    kind: 'transaction',
    records: Transaction,
    indexField: 'TransactionIndex',
    idField: 'Hash',
  } as const
  const found = published.has('Transaction') ? checkParts(block, { ...transactions, count }) : []
  let logs = published.has('Receipt') ? logCount(Receipt) : undefined
  if (published.has('Receipt')) {
    // As many receipts as transactions: it is the number in the block that is wrong, which has been said.
    const isSaid = found.length > 0 && Receipt.length === Transaction.length
    const receipts = {
      kind: 'receipt',
      records: Receipt,
      indexField: 'TransactionIndex',
      idField: 'TransactionHash',
    } as const
    const wrong = checkParts(block, { ...receipts, count: isSaid ? undefined : count })
    found.push(...wrong)
    if (wrong.length > 0) logs = undefined
  }
  if (published.has('Log'))
    found.push(...checkParts(block, { kind: 'log', records: Log, indexField: 'LogIndex', count: logs }))
  return found
}

/** By the receipts. */
function logCount(receipts: readonly PublishedMessage[]): number | undefined {
  if (receipts.some(({ message }) => message === null)) return undefined
  return receipts.reduce((sum, { message }) => sum + Number(message!.LogCount), 0)
}
