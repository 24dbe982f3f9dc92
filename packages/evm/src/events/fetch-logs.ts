import type { RpcEndpoint } from '../rpc/endpoint.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import { type BlockName, createEndpointLogs, type EndpointLogs, type FetchedLogs } from './endpoint-logs.ts'
import type { LogQuery } from './log-query.ts'

export interface LogsFrom extends FetchedLogs {
  readonly endpoint: RpcEndpoint
  /** Blocks for which the endpoint is asked at once. */
  readonly most: number
}

type Options = Pick<RpcRequest<unknown>, 'onceEach' | 'avoid' | 'signal'>

/** `eth_getLogs` at any endpoint. Queries must not be empty. */
export interface FetchLogs {
  range(queries: readonly LogQuery[], from: number, last: number, options: Options): Promise<LogsFrom>
  ofBlock(queries: readonly LogQuery[], block: BlockName, options: Options): Promise<LogsFrom>
  /** The logs of each block by its hash, and the endpoint. */
  ofEach(queries: readonly LogQuery[], blocks: readonly BlockName[], options: Options): Promise<LogsOfEach>
  at(endpoint: RpcEndpoint): EndpointLogs
}

export interface LogsOfEach {
  readonly logs: readonly FetchedLogs[]
  readonly endpoint: RpcEndpoint
}

const method = 'eth_getLogs'

export function createFetchLogs(rpc: Rpc): FetchLogs {
  const byEndpoint = new Map<RpcEndpoint, EndpointLogs>()
  const at = (endpoint: RpcEndpoint): EndpointLogs => {
    const known = byEndpoint.get(endpoint) ?? createEndpointLogs(endpoint)
    byEndpoint.set(endpoint, known)
    return known
  }
  const request = (options: Options, send: (logs: EndpointLogs, signal: AbortSignal) => Promise<FetchedLogs>) =>
    rpc.request({
      ...options,
      what: method,
      async send(endpoint, signal) {
        const logs = at(endpoint)
        return { ...(await send(logs, signal)), endpoint, most: logs.most }
      },
    })
  return {
    at,
    range: (queries, from, last, options) =>
      request(options, (logs, signal) => logs.range(queries, from, last, signal)),
    ofEach: (queries, blocks, options) =>
      rpc.request({
        ...options,
        what: method,
        send: async (endpoint, signal) => ({ logs: await at(endpoint).ofEach(queries, blocks, signal), endpoint }),
      }),
    ofBlock: (queries, block, options) => request(options, (logs, signal) => logs.ofBlock(queries, block, signal)),
  }
}
