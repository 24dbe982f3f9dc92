import { BlockUnavailableError, InvalidAnswerError } from '../errors.ts'
import type { Log } from '../log.ts'
import { toNumber } from '../quantity/quantity.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { isUnknownMethod } from '../rpc/unknown-method.ts'

/**
 * Asks an endpoint how many transactions its block of a number, or the block with a hash, has. `undefined`: it does not
 * know the method.
 */
export type CountTransactions = (
  endpoint: RpcEndpoint,
  block: number | string,
  signal: AbortSignal,
) => Promise<number | undefined>

/** Makes what asks endpoints; one that does not know a method is not asked by it again, and the log says so once. */
export function createCountTransactions(log: Log): CountTransactions {
  const unable = { [byNumber]: new Set<RpcEndpoint>(), [byHash]: new Set<RpcEndpoint>() }
  return async (endpoint, block, signal) => {
    const [method, name] =
      typeof block === 'number' ? ([byNumber, `0x${block.toString(16)}`] as const) : ([byHash, block] as const)
    if (unable[method].has(endpoint)) return undefined
    try {
      const { result } = await endpoint.send({ method, params: [name] }, signal)
      return readCount(result, block)
    } catch (error) {
      if (!isUnknownMethod(error)) throw error
      if (!unable[method].has(endpoint))
        log.debug({ endpoint: endpoint.name, method }, 'blocks are not checked by this count')
      unable[method].add(endpoint)
      return undefined
    }
  }
}

const byNumber = 'eth_getBlockTransactionCountByNumber'
const byHash = 'eth_getBlockTransactionCountByHash'

/** @throws {RetryableError} the result is no count. */
export function readCount(result: unknown, block: number | string): number {
  if (result === null) throw new BlockUnavailableError(block)
  if (typeof result !== 'string')
    throw new InvalidAnswerError(`block ${block}`, 'its count of transactions is no number')
  return toNumber(result)
}
