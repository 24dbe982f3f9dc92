import type { RpcBlock } from '../block/rpc-block.ts'
import { ContradictedBlockError } from '../errors.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import { confirmCount, isWhole } from './confirm-count.ts'
import { createEndpointReceipts, type EndpointReceipts } from './endpoint-receipts.ts'
import type { RpcReceipt } from './rpc-receipt.ts'

/** Receipts of a block, and the length of the answers that they came in. */
export interface FetchedReceipts {
  readonly receipts: readonly RpcReceipt[]
  readonly length: number
}

/**
 * Asks for the receipts of a block by its hash, so that they are of this very block, until they can be believed. Where one
 * endpoint contradicts the block, all are asked.
 *
 * @throws {ContradictedBlockError} none that answers agrees with the block.
 */
export type FetchReceipts = (block: RpcBlock, options: ReceiptsOptions) => Promise<FetchedReceipts>

/** With `onceEach` each node is asked once. */
export interface ReceiptsOptions extends Pick<RpcRequest<unknown>, 'onceEach' | 'signal'> {
  readonly check?: CheckReceipts | undefined
  /** The endpoint that the block came from. Another one is to confirm how many transactions it has. */
  readonly blockFrom?: RpcEndpoint | undefined
}

/** Checks receipts beyond what is always checked, and throws where they cannot be believed. */
export type CheckReceipts = (receipts: readonly RpcReceipt[], block: RpcBlock) => void

/** Makes what asks each endpoint in the way that this one bears. */
export function createFetchReceipts(rpc: Rpc): FetchReceipts {
  const ways = new Map<RpcEndpoint, EndpointReceipts>()
  const wayOf = (endpoint: RpcEndpoint): EndpointReceipts => {
    const way = ways.get(endpoint) ?? createEndpointReceipts(endpoint)
    ways.set(endpoint, way)
    return way
  }
  return async (block, { check, blockFrom, ...options }) => {
    if (block.transactions.length === 0) return { receipts: [], length: 0 }
    const send = async (endpoint: RpcEndpoint, signal: AbortSignal): Promise<Reply> => {
      try {
        const fetched = await wayOf(endpoint)(block, signal)
        check?.(fetched.receipts, block)
        return { endpoint, fetched }
      } catch (error) {
        if (error instanceof ContradictedBlockError) return { endpoint, contradiction: error }
        throw error
      }
    }
    const first = await rpc.request({ ...options, what: 'receipts', send })
    const replies = first.contradiction ? await rpc.requestEach({ send, signal: options.signal }) : [first]
    const fetched = replies.find((reply) => reply.fetched)?.fetched
    if (!fetched) throw first.contradiction
    const isContradicted = first.contradiction !== undefined
    if (isContradicted || !isWhole(fetched.receipts, block))
      await confirmCount(rpc, block, { ...options, avoid: blockFrom })
    for (const { endpoint, contradiction } of replies) if (contradiction) rpc.reject(endpoint, contradiction)
    return fetched
  }
}

/** What an endpoint says of a block by its receipts. */
interface Reply {
  readonly endpoint: RpcEndpoint
  readonly fetched?: FetchedReceipts
  readonly contradiction?: ContradictedBlockError
}
