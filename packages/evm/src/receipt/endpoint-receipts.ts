import { InvalidAnswerError } from '../errors.ts'
import { createRecentSet } from '../recent-set.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { createEndpointBatches } from '../rpc/endpoint-batches.ts'
import { isUnknownMethod, overloadOf } from '../rpc/judge-failure.ts'
import type { EncodedBlock } from '../transcoding/block-encoder.ts'
import { type Encoders, MissingReceiptsError } from '../transcoding/encoders.ts'
import type { EncodedReceipts } from '../transcoding/receipt-encoder.ts'
import type { RpcReceipt } from './rpc-receipt.ts'

export type EndpointReceipts = (block: EncodedBlock, signal: AbortSignal) => Promise<EncodedReceipts>

const mostBlocks = 100

/**
 * Uses batches if the endpoint does not support `eth_getBlockReceipts`, or if its answer would be too large or lacks
 * receipts.
 */
export function createEndpointReceipts(endpoint: RpcEndpoint, encode: Encoders['receipts']): EndpointReceipts {
  let knowsBlockReceipts = true
  const sendAll = createEndpointBatches(endpoint)
  /** Blocks whose receipts are too many for one answer, by hash. */
  const tooMuchAtOnce = createRecentSet<string>(mostBlocks)

  return async (block, signal) => {
    const fetched = knowsBlockReceipts && !tooMuchAtOnce.has(block.hash) ? await fetchAtOnce(block, signal) : undefined
    return fetched ?? fetchInBatches(block, signal)
  }

  async function fetchAtOnce(block: EncodedBlock, signal: AbortSignal): Promise<EncodedReceipts | undefined> {
    try {
      const call = { method: 'eth_getBlockReceipts', params: [block.hash] }
      return await encode(await endpoint.sendForJson(call, signal), block)
    } catch (error) {
      // Erigon on Polygon and relays of Hedera have returned receipts of transactions only when asked for each.
      if (error instanceof MissingReceiptsError) return undefined
      const overload = overloadOf(error)
      if (overload === 'too_large' || overload === 'too_slow') tooMuchAtOnce.add(block.hash)
      else if (isUnknownMethod(error)) knowsBlockReceipts = false
      else throw error
      // The endpoint backs off first.
      if (overload === 'too_slow') throw error
      return undefined
    }
  }

  async function fetchInBatches(block: EncodedBlock, signal: AbortSignal): Promise<EncodedReceipts> {
    const calls = block.hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
    const { results } = await sendAll(calls, signal, (batch) => checkOfBlock(batch, block))
    return encode(Buffer.from(JSON.stringify(results)), block)
  }
}

/** Checks that receipts are those of a block. After a reorganisation a node returns other receipts or none. */
function checkOfBlock(receipts: readonly unknown[], { number, hash }: EncodedBlock): void {
  if ((receipts as readonly (RpcReceipt | null)[]).every((receipt) => receipt?.blockHash === hash)) return
  throw new InvalidAnswerError(`the receipts of block ${number}`, 'one is missing or of another block')
}
