import type { PublishedMessage, VerifyFinding } from '@headrace/sdk'
import { checkParts } from './check-parts.ts'
import type { PublishedBlock } from './published-block.ts'

/** Records of a unit by short message name. */
export type RecordsByMessage = Readonly<Record<string, readonly PublishedMessage[] | undefined>>

/**
 * Checks that what is published of a block beside itself is its own, whole and in order. Receipts and logs that are not
 * published from the first block on are checked from their first one on.
 *
 * @param published Names of the messages of which there have been some.
 */
export function checkBlockParts(
  block: PublishedBlock,
  { Transaction = [], Receipt = [], Log = [] }: RecordsByMessage,
  published: ReadonlySet<string>,
): VerifyFinding[] {
  const { transactionCount: count } = block
  const found = checkParts(block, {
    ...{ kind: 'transaction', records: Transaction, indexField: 'TransactionIndex', idField: 'Hash', count },
  })
  if (published.has('Receipt')) {
    // As many receipts as transactions: it is the number in the block that is wrong, which has been said.
    const isSaid = found.length > 0 && Receipt.length === Transaction.length
    const receipts = {
      ...({ records: Receipt, indexField: 'TransactionIndex', idField: 'TransactionHash' } as const),
      count: isSaid ? undefined : count,
    }
    found.push(...checkParts(block, { kind: 'receipt', ...receipts }))
  }
  if (published.has('Log')) {
    const logs = { records: Log, indexField: 'LogIndex', count: logCount(Receipt, published) } as const
    found.push(...checkParts(block, { kind: 'log', ...logs }))
  }
  return found
}

/** By the receipts, where there are any. */
function logCount(receipts: readonly PublishedMessage[], published: ReadonlySet<string>): number | undefined {
  if (!published.has('Receipt') || receipts.some(({ message }) => message === null)) return undefined
  return receipts.reduce((sum, { message }) => sum + Number(message!.LogCount), 0)
}
