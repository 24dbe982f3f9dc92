import { BlockUnavailableError, InvalidAnswerError } from '../errors.ts'
import { toNumber } from '../quantity/quantity.ts'
import { createRecentSet } from '../recent-set.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { isUnknownMethod } from '../rpc/judge-failure.ts'
import type { Log } from '../source/block-source.ts'
import type { EncodedBlock } from '../transcoding/block-encoder.ts'
import { isRootOfNone } from './check-block.ts'

/** `undefined`: the endpoint does not support the method. */
export type CountTransactions = (
  endpoint: RpcEndpoint,
  block: number | string,
  signal: AbortSignal,
) => Promise<number | undefined>

export function createCountTransactions(log: Log): CountTransactions {
  const unsupported = { [byNumber]: new Set<RpcEndpoint>(), [byHash]: new Set<RpcEndpoint>() }
  return async (endpoint, block, signal) => {
    const [method, name] =
      typeof block === 'number' ? ([byNumber, `0x${block.toString(16)}`] as const) : ([byHash, block] as const)
    if (unsupported[method].has(endpoint)) return undefined
    try {
      const { result } = await endpoint.send({ method, params: [name] }, signal)
      return readCount(result, block)
    } catch (error) {
      if (!isUnknownMethod(error)) throw error
      if (!unsupported[method].has(endpoint))
        log.debug(
          { endpoint: endpoint.name, method },
          'the endpoint does not count transactions: blocks are not checked by this method',
        )
      unsupported[method].add(endpoint)
      return undefined
    }
  }
}

const byNumber = 'eth_getBlockTransactionCountByNumber'
const byHash = 'eth_getBlockTransactionCountByHash'

export function readCount(result: unknown, block: number | string): number {
  if (result === null) throw new BlockUnavailableError(block)
  if (typeof result !== 'string')
    throw new InvalidAnswerError(`block ${block}`, 'its count of transactions is not a number')
  return toNumber(result)
}

/** @throws {InvalidAnswerError} the endpoint counts transactions in the block, or cannot count them. */
export type ConfirmEmpty = (
  endpoint: RpcEndpoint,
  block: Pick<EncodedBlock, 'hash' | 'number' | 'hashes' | 'transactionsRoot'>,
  signal: AbortSignal,
) => Promise<void>

const mostRoots = 16

/**
 * Confirms an empty block whose root is not that of an empty list. A chain may have its own root of none (Kaia), or a
 * root that covers more than transactions (Harmony, Ethermint).
 */
export function createConfirmEmpty(count: CountTransactions): ConfirmEmpty {
  const confirmed = createRecentSet<string>(mostRoots)
  return async (endpoint, { hash, number, hashes, transactionsRoot: root }, signal) => {
    if (hashes.length > 0 || !root || isRootOfNone(root) || confirmed.has(root)) return
    const counted = await count(endpoint, hash, signal)
    if (counted !== 0) throw new InvalidAnswerError(`block ${number}`, differenceFrom(counted))
    confirmed.add(root)
  }
}

function differenceFrom(counted: number | undefined): string {
  if (counted !== undefined) return `it has 0 of ${counted} transactions`
  return 'it has no transactions, but its transactionsRoot is not that of an empty list, and the node cannot count them'
}
