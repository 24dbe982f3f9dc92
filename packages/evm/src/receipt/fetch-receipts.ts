import { readCount } from '../block/count-transactions.ts'
import type { RpcBlock } from '../block/rpc-block.ts'
import { ContradictedBlockError } from '../errors.ts'
import { toNumber, toUint64 } from '../quantity/quantity.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import { createEndpointReceipts, type EndpointReceipts, type FetchedReceipts } from './endpoint-receipts.ts'
import type { RpcReceipt } from './rpc-receipt.ts'

/**
 * If one endpoint contradicts the block, all are asked.
 * @throws {ContradictedBlockError} no endpoint that answers agrees with the block.
 */
type FetchReceipts = (block: RpcBlock, options: ReceiptsOptions) => Promise<FetchedReceipts>

interface ReceiptsOptions extends Pick<RpcRequest<unknown>, 'onceEach' | 'signal'> {
  readonly check?: CheckReceipts | undefined
  /** The endpoint of the block: its transactions are counted at another one. */
  readonly blockFrom?: RpcEndpoint | undefined
}

export type CheckReceipts = (receipts: readonly RpcReceipt[], block: RpcBlock) => void

export function createFetchReceipts(rpc: Rpc): FetchReceipts {
  const byEndpoint = new Map<RpcEndpoint, EndpointReceipts>()
  const receiptsOf = (endpoint: RpcEndpoint): EndpointReceipts => {
    const known = byEndpoint.get(endpoint) ?? createEndpointReceipts(endpoint)
    byEndpoint.set(endpoint, known)
    return known
  }
  return async (block, { check, blockFrom, ...options }) => {
    if (block.transactions.length === 0) return { receipts: [], length: 0 }
    const send = async (endpoint: RpcEndpoint, signal: AbortSignal): Promise<Reply> => {
      try {
        const fetched = await receiptsOf(endpoint)(block, signal)
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

interface Reply {
  readonly endpoint: RpcEndpoint
  readonly fetched?: FetchedReceipts
  readonly contradiction?: ContradictedBlockError
}

/** Whether the receipts account for all gas of a block. Some nodes report no cumulative gas. */
function isWhole(receipts: readonly RpcReceipt[], { gasUsed }: RpcBlock): boolean {
  const counted = toUint64(receipts.at(-1)?.cumulativeGasUsed)
  return counted === 0n || gasUsed === undefined || gasUsed === null || counted === toUint64(gasUsed)
}

/** Missing gas alone proves nothing: some chains use gas for more than transactions (Tendermint). */
async function confirmCount(
  rpc: Rpc,
  { number, hash, transactions }: RpcBlock,
  options: Pick<RpcRequest<unknown>, 'onceEach' | 'avoid' | 'signal'>,
): Promise<void> {
  const count = await rpc.call({
    ...options,
    method: 'eth_getBlockTransactionCountByHash',
    params: [hash],
    read: (result) => readCount(result, toNumber(number)),
  })
  if (count !== transactions.length)
    throw new ContradictedBlockError(
      `block ${toNumber(number)}`,
      `it has ${transactions.length} of ${count} transactions`,
    )
}
