import { fetchHeader } from '../block/fetch-block.ts'
import type { RpcHeader } from '../block/rpc-block.ts'
import { InvalidAnswerError } from '../errors.ts'
import { isHash } from '../quantity/quantity.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { createEndpointBatches } from '../rpc/endpoint-batches.ts'
import { isUnknownMethod, overloadOf } from '../rpc/judge-failure.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { trieRoot } from '../verify/trie-root.ts'
import { encodeReceipt } from '../verify/verify-receipts.ts'
import type { EventHeader } from './event-header.ts'
import { checkLogs, type EventLog, type PlacedLog } from './event-log.ts'

/** All logs of a block, from the receipts of its transactions. */
export interface BlockReceipts {
  /**
   * @throws {InvalidAnswerError} the block with this number is another one now.
   * @throws {RetryableError} no endpoint has the receipts.
   */
  logs(block: EventHeader, signal: AbortSignal): Promise<readonly PlacedLog[]>
}

/** @param isVerified Whether the receipts must have the root in the header. */
export function createBlockReceipts(rpc: Rpc, isVerified: boolean): BlockReceipts {
  return {
    async logs({ number, hash }, signal) {
      const header = await fetchHeader(rpc, number, signal)
      if (header.hash !== hash) throw new InvalidAnswerError(`block ${number}`, 'it was replaced')
      const transactions = transactionsOf(header)
      return rpc.request({
        what: 'receipts',
        async send(endpoint, signal) {
          const receipts = checkReceipts(
            await fetchReceipts(endpoint, header, transactions, signal),
            transactions,
            header,
          )
          if (isVerified && trieRoot(receipts.map(encodeReceipt)) !== header.receiptsRoot)
            throw invalid(header, 'their root is not the one in the header')
          return allLogs(receipts, header)
        },
        onceEach: true,
        signal,
      })
    },
  }
}

async function fetchReceipts(
  endpoint: RpcEndpoint,
  { hash }: RpcHeader,
  transactions: readonly string[],
  signal: AbortSignal,
): Promise<unknown> {
  if (transactions.length === 0) return []
  try {
    return (await endpoint.send({ method: 'eth_getBlockReceipts', params: [hash] }, signal)).result
  } catch (error) {
    if (!isUnknownMethod(error) && overloadOf(error) !== 'too_large') throw error
    const calls = transactions.map((each) => ({ method: 'eth_getTransactionReceipt', params: [each] }))
    return (await createEndpointBatches(endpoint)(calls, signal)).results
  }
}

function transactionsOf(header: RpcHeader): readonly string[] {
  const { transactions } = header as { readonly transactions?: unknown }
  if (Array.isArray(transactions) && transactions.every(isHash)) return transactions
  throw new InvalidAnswerError(`block ${Number(header.number)}`, 'it has no list of the hashes of its transactions')
}

function checkReceipts(answer: unknown, transactions: readonly string[], header: RpcHeader): readonly RpcReceipt[] {
  if (!Array.isArray(answer) || answer.length !== transactions.length)
    throw invalid(header, `there are not ${transactions.length}, one for each transaction`)
  for (const [index, receipt] of answer.entries() as Iterable<[number, RpcReceipt | null]>) {
    if (receipt?.blockHash !== header.hash) throw invalid(header, `number ${index} is of another block`)
    if (receipt.transactionHash !== transactions[index])
      throw invalid(header, `number ${index} is of another transaction`)
    if (!Array.isArray(receipt.logs)) throw invalid(header, `number ${index} has no list of logs`)
  }
  return answer
}

function allLogs(receipts: readonly RpcReceipt[], { number, hash }: RpcHeader): readonly PlacedLog[] {
  const logs = receipts.flatMap(({ logs, transactionHash, transactionIndex }) =>
    logs.map((log): EventLog => ({ ...log, blockNumber: number, blockHash: hash, transactionHash, transactionIndex })),
  )
  const placed = checkLogs(logs, Number(number), Number(number))
  const wrong = placed.findIndex(({ index }, at) => index !== at)
  if (wrong < 0) return placed
  throw new InvalidAnswerError(`the receipts of block ${Number(number)}`, `log ${wrong} is missing`)
}

function invalid({ number }: RpcHeader, difference: string): InvalidAnswerError {
  return new InvalidAnswerError(`the receipts of block ${Number(number)}`, difference)
}
