import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { perEndpoint } from '../rpc/per-endpoint.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import {
  createEndpointHeaders,
  type EndpointHeaders,
  type FetchedHeaders,
  type HeaderCheck,
} from './endpoint-headers.ts'

/** Headers of consecutive blocks, in order, at any endpoint. */
export interface FetchHeaders {
  (from: number, last: number, options: Pick<RpcRequest<unknown>, 'avoid' | 'signal'>): Promise<FetchedHeaders>
  at(endpoint: RpcEndpoint): EndpointHeaders
}

export function createFetchHeaders(rpc: Rpc, check: HeaderCheck): FetchHeaders {
  const at = perEndpoint((endpoint) => createEndpointHeaders(endpoint, check))
  const fetch = (from: number, last: number, options: Pick<RpcRequest<unknown>, 'avoid' | 'signal'>) =>
    rpc.request({ ...options, what: 'headers', send: (endpoint, signal) => at(endpoint)(from, last, signal) })
  return Object.assign(fetch, { at })
}
