import { InvalidAnswerError } from '../errors.ts'
import { createRecentSet } from '../recent-set.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { isRootOfNone } from './check-block.ts'
import type { CountTransactions } from './count-transactions.ts'
import type { RpcBlock } from './rpc-block.ts'

/**
 * Asks the endpoint that a block came from whether it has no transactions indeed, where its root is not that of none.
 *
 * @throws {InvalidAnswerError} the endpoint counts some, or does not count.
 */
export type ConfirmEmpty = (endpoint: RpcEndpoint, block: RpcBlock, signal: AbortSignal) => Promise<void>

/** Roots that are known not to be asked about again. */
const mostRoots = 16

/**
 * A chain may have a root of its own for no transactions (Kaia), or one that also holds what is no transaction (Harmony,
 * Ethermint). One that was confirmed is not asked about again.
 */
export function createConfirmEmpty(count: CountTransactions): ConfirmEmpty {
  const confirmed = createRecentSet<string>(mostRoots)
  return async (endpoint, { hash, number, transactions, transactionsRoot: root }, signal) => {
    if (transactions.length > 0 || !root || isRootOfNone(root) || confirmed.has(root)) return
    const counted = await count(endpoint, hash, signal)
    if (counted !== 0) throw new InvalidAnswerError(`block ${Number(number)}`, differenceFrom(counted))
    confirmed.add(root)
  }
}

function differenceFrom(counted: number | undefined): string {
  if (counted !== undefined) return `it holds 0 transactions of ${counted}`
  return 'it holds no transactions under a root that is not that of none, and the node does not count them'
}
