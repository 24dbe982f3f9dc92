import { setTimeout as delay } from 'node:timers/promises'
import { RetryableError } from '@headrace/sdk'
import { RpcError, RpcRateLimitedError } from '../errors.ts'
import type { Log } from '../log.ts'
import { createEndpoint } from './endpoint.ts'

export interface RpcCall<T> {
  readonly method: string
  readonly params: readonly unknown[]
  /** Checks a result before it is believed. A `RetryableError` it throws has the call made again. */
  read(result: unknown): T
  /** Makes a value of a JSON-RPC error. Without it the call is made again. */
  onError?(error: RpcError): T
  readonly signal: AbortSignal
}

/** Calls to a node, or to several that serve the same chain. May be called concurrently. */
export interface Rpc {
  /**
   * Makes a call until it has a result: at most 6 times at each endpoint, with growing pauses or those that
   * `Retry-After` asks for.
   *
   * @throws {RetryableError} the last failure.
   * @throws {UserError} what trying again cannot mend.
   */
  call<T>(call: RpcCall<T>): Promise<T>
  /** Ends what is under way and closes the connections. */
  close(): Promise<void>
}

export interface RpcOptions {
  /** In order of preference. After a failure the next one is used, and kept as long as it works. */
  readonly urls: readonly string[]
  readonly log: Log
}

const rounds = 6
const firstPauseMs = 100
const longestPauseMs = 60_000

export function createRpc({ urls, log }: RpcOptions): Rpc {
  const endpoints = urls.map((url, index) => createEndpoint(url, index + 1))
  let current = 0

  return {
    async call({ method, params, read, onError, signal }) {
      for (let attempt = 1; ; attempt++) {
        const used = current
        const endpoint = endpoints[used]!
        try {
          return read(await endpoint.send({ method, params, signal }))
        } catch (error) {
          if (onError && error instanceof RpcError) return onError(error)
          const pauseMs = pauseAfter(error, attempt, endpoints.length)
          if (pauseMs === undefined) throw error
          if (current === used) current = (used + 1) % endpoints.length
          log.warn({ endpoint: endpoint.name, method, attempt, reason: message(error) }, 'call failed, trying again')
          await delay(pauseMs, undefined, { signal })
        }
      }
    },
    async close() {
      await Promise.all(endpoints.map((endpoint) => endpoint.close()))
    },
  }
}

/** How long to wait before the next attempt, in ms; `undefined` to make none. The other endpoints are asked at once. */
function pauseAfter(error: unknown, attempt: number, endpoints: number): number | undefined {
  if (!(error instanceof RetryableError) || attempt >= rounds * endpoints) return undefined
  if (attempt % endpoints !== 0) return 0
  const round = attempt / endpoints
  const growing = firstPauseMs * 2 ** (round - 1) * (0.5 + Math.random() / 2)
  const asked = error instanceof RpcRateLimitedError ? (error.retryAfterMs ?? 0) : 0
  return asked > longestPauseMs ? undefined : Math.max(growing, asked)
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
