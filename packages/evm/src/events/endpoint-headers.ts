import type { RpcHeader } from '../block/rpc-block.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { createEndpointBatches } from '../rpc/endpoint-batches.ts'
import { type EventHeader, toEventHeader } from './event-header.ts'

export interface FetchedHeaders {
  readonly headers: readonly EventHeader[]
  /** Characters of the answers. */
  readonly length: number
}

export type EndpointHeaders = (from: number, last: number, signal: AbortSignal) => Promise<FetchedHeaders>

/** Throws an error that another endpoint may not cause. */
export type HeaderCheck = (header: RpcHeader) => void

export function createEndpointHeaders(endpoint: RpcEndpoint, check: HeaderCheck): EndpointHeaders {
  const send = createEndpointBatches(endpoint)
  return async (from, last, signal) => {
    const calls = Array.from({ length: last - from + 1 }, (_, index) => ({
      method: 'eth_getBlockByNumber',
      params: [`0x${(from + index).toString(16)}`, false],
    }))
    const { results, length } = await send(calls, signal)
    return { headers: results.map((answer, index) => toEventHeader(answer, from + index, check)), length }
  }
}
