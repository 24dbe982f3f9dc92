import type { RpcBlock } from '../block/rpc-block.ts'
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

/** Asks for the receipts of a block by its hash, so that they are of this very block, until they can be believed. */
export type FetchReceipts = (block: RpcBlock, options: ReceiptsOptions) => Promise<FetchedReceipts>

/** With `onceEach` each node is asked once. */
export interface ReceiptsOptions extends Pick<RpcRequest<unknown>, 'onceEach' | 'signal'> {
  readonly check?: CheckReceipts | undefined
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
  return async (block, { check, ...options }) => {
    if (block.transactions.length === 0) return { receipts: [], length: 0 }
    const fetched = await rpc.request({
      ...options,
      what: 'receipts',
      async send(endpoint, signal) {
        const fetched = await wayOf(endpoint)(block, signal)
        check?.(fetched.receipts, block)
        return fetched
      },
    })
    if (!isWhole(fetched.receipts, block)) await confirmCount(rpc, block, options)
    return fetched
  }
}
