import type { RpcBlock } from '../block/rpc-block.ts'
import { createRecentSet } from '../recent-set.ts'
import type { MethodCall, RpcEndpoint } from '../rpc/endpoint.ts'
import { isUnknownMethod, overloadOf } from '../rpc/judge-failure.ts'
import { checkReceipts, invalidReceipts } from './check-receipts.ts'
import type { RpcReceipt } from './rpc-receipt.ts'

export interface FetchedReceipts {
  readonly receipts: readonly RpcReceipt[]
  readonly length: number
}

export type EndpointReceipts = (block: RpcBlock, signal: AbortSignal) => Promise<FetchedReceipts>

const mostCalls = 100
const mostBlocks = 100

/** Uses batches if the endpoint does not support `eth_getBlockReceipts`, or if the answer would be too large. */
export function createEndpointReceipts(endpoint: RpcEndpoint): EndpointReceipts {
  let knowsBlockReceipts = true
  let batchCalls = mostCalls
  /** Blocks whose receipts are too many for one answer. By hash: a block that is fetched again is another object. */
  const tooMuchAtOnce = createRecentSet<string>(mostBlocks)

  return async (block, signal) => {
    const fetched = knowsBlockReceipts && !tooMuchAtOnce.has(block.hash) ? await fetchAtOnce(block, signal) : undefined
    return fetched ?? fetchInBatches(block, signal)
  }

  async function fetchAtOnce(block: RpcBlock, signal: AbortSignal): Promise<FetchedReceipts | undefined> {
    try {
      const { result, length } = await endpoint.send({ method: 'eth_getBlockReceipts', params: [block.hash] }, signal)
      return { receipts: checkReceipts(result, block), length }
    } catch (error) {
      const overload = overloadOf(error)
      if (overload === 'too_large' || overload === 'too_slow') tooMuchAtOnce.add(block.hash)
      else if (isUnknownMethod(error)) knowsBlockReceipts = false
      else throw error
      // The endpoint backs off first.
      if (overload === 'too_slow') throw error
      return undefined
    }
  }

  async function fetchInBatches(block: RpcBlock, signal: AbortSignal): Promise<FetchedReceipts> {
    const calls = block.transactions.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
    const answers: unknown[] = []
    let length = 0
    while (answers.length < calls.length) {
      const batch = calls.slice(answers.length, answers.length + batchCalls)
      const sent = await send(batch, signal)
      if (!sent) continue
      answers.push(...checkOfBlock(sent.results, block))
      length += sent.length
    }
    return { receipts: checkReceipts(answers, block), length }
  }

  async function send(
    batch: readonly MethodCall[],
    signal: AbortSignal,
  ): Promise<{ readonly results: readonly unknown[]; readonly length: number } | undefined> {
    try {
      // Servers without batches do not accept a batch of one call either.
      const { result, length } = await endpoint.send(batch.length === 1 ? batch[0]! : batch, signal)
      if (batch.length >= batchCalls) batchCalls = Math.min(mostCalls, batchCalls + 1)
      return { results: batch.length === 1 ? [result] : (result as unknown[]), length }
    } catch (error) {
      const overload = overloadOf(error)
      if (overload) batchCalls = Math.max(1, Math.min(batchCalls, batch.length) >> 1)
      if (overload !== 'too_large' || batch.length === 1) throw error
      return undefined
    }
  }
}

/** Checks that receipts are those of a block. After a reorganisation a node returns other receipts or none. */
function checkOfBlock(receipts: readonly unknown[], block: RpcBlock): readonly unknown[] {
  if ((receipts as readonly (RpcReceipt | null)[]).every((receipt) => receipt?.blockHash === block.hash))
    return receipts
  throw invalidReceipts(block, 'one is missing or of another block')
}
