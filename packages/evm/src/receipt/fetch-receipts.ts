import { readCount } from '../block/count-transactions.ts'
import { ContradictedBlockError } from '../errors.ts'
import { toUint64 } from '../quantity/quantity.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { perEndpoint } from '../rpc/per-endpoint.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import type { EncodedBlock } from '../transcoding/block-encoder.ts'
import type { Encoders } from '../transcoding/encoders.ts'
import type { EncodedReceipts } from '../transcoding/receipt-encoder.ts'
import { createEndpointReceipts } from './endpoint-receipts.ts'

/**
 * If one endpoint contradicts the block, all are asked.
 * @throws {ContradictedBlockError} no endpoint that answers agrees with the block.
 */
type FetchReceipts = (block: EncodedBlock, options: ReceiptsOptions) => Promise<EncodedReceipts>

interface ReceiptsOptions extends Pick<RpcRequest<unknown>, 'onceEach' | 'signal'> {
  readonly check?: CheckReceipts | undefined
  /** The endpoint of the block: its transactions are counted at another one. */
  readonly blockFrom?: RpcEndpoint | undefined
}

export type CheckReceipts = (receipts: EncodedReceipts, block: EncodedBlock) => void

export function createFetchReceipts(rpc: Rpc, encode: Encoders['receipts']): FetchReceipts {
  const receiptsOf = perEndpoint((endpoint) => createEndpointReceipts(endpoint, encode))
  return async (block, { check, blockFrom, ...options }) => {
    if (block.hashes.length === 0) return encode(noReceipts, block)
    const send = async (endpoint: RpcEndpoint, signal: AbortSignal): Promise<Reply> => {
      try {
        const fetched = await receiptsOf(endpoint)(block, signal)
        check?.(fetched, block)
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
    if (isContradicted || !isWhole(fetched, block)) await confirmCount(rpc, block, { ...options, avoid: blockFrom })
    for (const { endpoint, contradiction } of replies) if (contradiction) rpc.reject(endpoint, contradiction)
    return fetched
  }
}

const noReceipts = Buffer.from('[]')

interface Reply {
  readonly endpoint: RpcEndpoint
  readonly fetched?: EncodedReceipts
  readonly contradiction?: ContradictedBlockError
}

/** Whether the receipts account for all gas of a block. Some nodes report no cumulative gas. */
function isWhole({ cumulativeGasUsed }: EncodedReceipts, { gasUsed }: EncodedBlock): boolean {
  const counted = toUint64(cumulativeGasUsed)
  return counted === 0n || gasUsed === undefined || counted === toUint64(gasUsed)
}

/** Missing gas alone proves nothing: some chains use gas for more than transactions (Tendermint). */
async function confirmCount(
  rpc: Rpc,
  { number, hash, hashes }: EncodedBlock,
  options: Pick<RpcRequest<unknown>, 'onceEach' | 'avoid' | 'signal'>,
): Promise<void> {
  const count = await rpc.call({
    ...options,
    method: 'eth_getBlockTransactionCountByHash',
    params: [hash],
    read: (result) => readCount(result, number),
  })
  if (count !== hashes.length)
    throw new ContradictedBlockError(`block ${number}`, `it has ${hashes.length} of ${count} transactions`)
}
