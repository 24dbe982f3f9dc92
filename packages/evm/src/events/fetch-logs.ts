import { RpcUnavailableError } from '../errors.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { perEndpoint } from '../rpc/per-endpoint.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import { type BlockName, createEndpointLogs, type EndpointLogs, type FetchedLogs } from './endpoint-logs.ts'
import type { LogQuery } from './log-query.ts'

export interface LogsFrom extends FetchedLogs {
  readonly endpoint: RpcEndpoint
  /** Blocks for which the endpoint is asked at once. */
  readonly most: number
}

export interface FetchOptions extends Pick<RpcRequest<unknown>, 'onceEach' | 'avoid' | 'signal'> {
  /** Waits for another endpoint than `avoid` instead of asking it. */
  readonly isElsewhere?: boolean
}

/**
 * `eth_getLogs` at any endpoint. Queries must not be empty.
 *
 * @throws {RpcUnavailableError} with `isElsewhere`, no other endpoint answers.
 */
export interface FetchLogs {
  range(queries: readonly LogQuery[], from: number, last: number, options: FetchOptions): Promise<LogsFrom>
  ofBlock(queries: readonly LogQuery[], block: BlockName, options: FetchOptions): Promise<LogsFrom>
  /** The logs of each block by its hash, and the endpoint. */
  ofEach(queries: readonly LogQuery[], blocks: readonly BlockName[], options: FetchOptions): Promise<LogsOfEach>
  at(endpoint: RpcEndpoint): EndpointLogs
}

export interface LogsOfEach {
  readonly logs: readonly FetchedLogs[]
  readonly endpoint: RpcEndpoint
}

const method = 'eth_getLogs'

export function createFetchLogs(rpc: Rpc): FetchLogs {
  const at = perEndpoint(createEndpointLogs)
  const request = (
    { isElsewhere = false, ...options }: FetchOptions,
    send: (logs: EndpointLogs, signal: AbortSignal) => Promise<FetchedLogs>,
  ): Promise<LogsFrom> => {
    const sendTo = async (endpoint: RpcEndpoint, signal: AbortSignal): Promise<LogsFrom> => {
      const logs = at(endpoint)
      return { ...(await send(logs, signal)), endpoint, most: logs.most }
    }
    return isElsewhere
      ? requestElsewhere(rpc, options, sendTo)
      : rpc.request({ ...options, what: method, send: sendTo })
  }
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

/** Asks the first endpoint with capacity, other than `avoid`. */
async function requestElsewhere(
  rpc: Rpc,
  { avoid, signal }: FetchOptions,
  sendTo: RpcRequest<LogsFrom>['send'],
): Promise<LogsFrom> {
  let isSent = false
  const replies = await rpc.requestEach({
    async send(endpoint, signal) {
      if (isSent || endpoint === avoid) return undefined
      isSent = true
      return sendTo(endpoint, signal)
    },
    signal,
  })
  const found = replies.find((reply) => reply !== undefined)
  if (found) return found
  throw new RpcUnavailableError('other URLs', `no logs to compare with those of ${avoid?.name}`)
}
