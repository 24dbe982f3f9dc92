import { addAbortListener } from 'node:events'
import { createEndpoints, type EndpointReply, type Endpoints, RetryableError } from '@headrace/sdk'
import { ChainChangedError, ChainMismatchError, InvalidAnswerError, RpcError } from '../errors.ts'
import { toNumber } from '../quantity/quantity.ts'
import type { EvmSettings, Log } from '../source/block-source.ts'
import { createRpcEndpoint, type MethodCall, type RpcEndpoint } from './endpoint.ts'
import type { ConnectHttp } from './http-connection.ts'
import { judgeFailure } from './judge-failure.ts'

interface RpcCall<T> extends MethodCall {
  /** Throws a `RetryableError` if the result is invalid: then the call is repeated. */
  read(result: unknown): T
  /** Returns the result for this error. Without `onError` the call is repeated. */
  onError?(error: RpcError): T
  /** Each available endpoint is tried once, until one gives a valid answer. */
  readonly onceEach?: boolean
  /** Used only while no other endpoint has capacity. Not with `onceEach`. */
  readonly avoid?: RpcEndpoint | undefined
  readonly signal: AbortSignal
}

export interface RpcRequest<T> extends Pick<RpcCall<T>, 'onceEach' | 'avoid' | 'signal'> {
  /** The name of the request in the log. */
  readonly what: string
  send(endpoint: RpcEndpoint, signal: AbortSignal): Promise<T>
}

/** Concurrent calls are allowed. */
export interface Rpc extends Pick<Endpoints<RpcEndpoint>, 'reject' | 'width' | 'health'> {
  /**
   * Repeats a call until it has a valid result.
   *
   * @throws {RetryableError} the last failure, after six attempts at every endpoint.
   * @throws {UserError} every endpoint refuses this client, or serves another chain.
   */
  call<T>(call: RpcCall<T>): Promise<T>
  /** Calls each endpoint once, concurrently. */
  callEach<T>(call: Omit<RpcCall<T>, 'onceEach'>): Promise<EndpointReply<T>[]>
  /** Sends a request of several calls to one endpoint. */
  request<T>(request: RpcRequest<T>): Promise<T>
  /** Sends a request of several calls to each endpoint. Returns the valid answers. */
  requestEach<T>(request: Pick<RpcRequest<T>, 'send' | 'signal'>): Promise<T[]>
  /** Aborts pending requests and closes the connections. */
  close(): Promise<void>
}

export interface RpcOptions extends Pick<EvmSettings, 'rpc' | 'timeout'> {
  /** Default: the chain of the first endpoint to answer. */
  readonly publishedChainId?: number | undefined
  readonly connect?: ConnectHttp | undefined
  readonly log: Log
}

export function createRpc(options: RpcOptions): Rpc {
  const { rpc: urls, timeout = 30, publishedChainId, connect, log } = options
  const timeoutMs = Math.ceil(timeout * 1000)
  const checkChain = createChainCheck(publishedChainId)
  const clients = [urls].flat().map((url, index) => {
    const endpoint = createRpcEndpoint(url, { place: index + 1, timeoutMs, connect })
    const check = () => checkChain(endpoint, index + 1)
    const client: RpcEndpoint = createClient(endpoint, check, (error) => endpoints.notePause(client, error))
    return client
  })
  const endpoints = createEndpoints({
    endpoints: clients.map((client) => ({ name: client.name, client })),
    judge: judgeFailure,
    log,
  })
  async function request<T>({ what, send, onceEach = false, avoid, signal }: RpcRequest<T>): Promise<T> {
    if (!onceEach) return endpoints.request({ what, send, avoid, signal })
    const last = (await endpoints.requestEach({ send, signal, untilAnswered: true })).at(-1)!
    if (last.kind === 'answered') return last.answer
    throw last.error
  }
  return {
    call: (call) => request({ ...call, what: call.method, send: sender(call) }),
    callEach: (call) => endpoints.requestEach({ send: sender(call), signal: call.signal }),
    request,
    async requestEach(request) {
      const replies = await endpoints.requestEach(request)
      return replies.flatMap((reply) => (reply.kind === 'answered' ? [reply.answer] : []))
    },
    reject: endpoints.reject,
    get width() {
      return endpoints.width
    },
    health: endpoints.health,
    async close() {
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}

/** Rethrows the reason of an abort. */
export async function answerIfAny<T>(asking: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await asking
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof RetryableError) return undefined
    throw error
  }
}

function sender<T>({ method, params, read, onError }: Omit<RpcCall<T>, 'signal'>): RpcRequest<T>['send'] {
  return async (endpoint, signal) => {
    try {
      const { result } = await endpoint.send({ method, params }, signal)
      return read(result)
    } catch (error) {
      if (onError && error instanceof RpcError) return onError(error)
      throw error
    }
  }
}

function createChainCheck(published: number | undefined): (endpoint: RpcEndpoint, place: number) => Promise<void> {
  let expected = published
  return async (endpoint, place) => {
    const { result } = await endpoint.send({ method: 'eth_chainId', params: [] })
    const id = readChainId(result)
    expected ??= id
    if (id === expected) return
    if (published !== undefined) throw new ChainChangedError(published, id)
    throw new ChainMismatchError(endpoint.name, place, id, expected)
  }
}

function createClient(
  endpoint: RpcEndpoint,
  checkChain: () => Promise<void>,
  notePause: (error: unknown) => void,
): RpcEndpoint {
  let checked: Promise<void> | undefined

  async function onChain<T>(signal: AbortSignal | undefined, send: () => Promise<T>): Promise<T> {
    checked ??= checkChain().catch((error: unknown) => {
      checked = undefined
      throw error
    })
    try {
      await orAborted(checked, signal)
      return await send()
    } catch (error) {
      // At once, because the request may continue with another call.
      notePause(error)
      throw error
    }
  }

  return {
    ...endpoint,
    send: (calls, signal) => onChain(signal, () => endpoint.send(calls, signal)),
    sendForJson: (call, signal) => onChain(signal, () => endpoint.sendForJson(call, signal)),
  }
}

/** The shared check continues if one of its callers is aborted. */
async function orAborted(waited: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return waited
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  using _ = addAbortListener(signal, () => reject(signal.reason))
  await Promise.race([waited, aborted])
}

/** `toNumber` would read a missing id as 0. */
export function readChainId(answer: unknown): number {
  if (typeof answer !== 'string') throw new InvalidAnswerError('the chain id', `it is ${JSON.stringify(answer)}`)
  return toNumber(answer)
}
