import { createEndpoints, type EndpointHealth, type EndpointReply, RetryableError } from '@headrace/sdk'
import { ChainChangedError, ChainMismatchError, RpcError } from '../errors.ts'
import type { Log } from '../log.ts'
import { readChainId } from './chain-id.ts'
import { createRpcEndpoint, type MethodCall, type RpcEndpoint } from './endpoint.ts'
import type { ConnectHttp } from './http-connection.ts'
import { judgeFailure } from './judge-failure.ts'

export interface RpcCall<T> extends MethodCall {
  /**
   * Makes a value of a result, or throws a `RetryableError` where it cannot be believed: then it is asked for again,
   * elsewhere where there is another endpoint.
   *
   * @param length Length of the answer's text.
   */
  read(result: unknown, length: number): T
  /** Makes a value of a JSON-RPC error. Without it the call is made again. */
  onError?(error: RpcError): T
  /** Each endpoint that is not away is asked once, until one has an answer that can be believed. */
  readonly onceEach?: boolean
  /** This one is asked only while no other one has room. Not with `onceEach`. */
  readonly avoid?: RpcEndpoint | undefined
  readonly signal: AbortSignal
}

export interface RpcRequest<T> extends Pick<RpcCall<T>, 'onceEach' | 'avoid' | 'signal'> {
  /** What is asked for, as it is to be seen in the log. */
  readonly what: string
  /** Asks an endpoint, and throws a `RetryableError` where its answers cannot be believed. */
  send(endpoint: RpcEndpoint, signal: AbortSignal): Promise<T>
}

/** Calls to the nodes of a chain. Any number may be under way. */
export interface Rpc {
  /**
   * Makes a call until it has a result that can be believed.
   *
   * @throws {RetryableError} the last failure, once every endpoint has been asked six times.
   * @throws {UserError} every endpoint refuses this client, or serves another chain.
   */
  call<T>(call: RpcCall<T>): Promise<T>
  /** Makes a call to each endpoint once, side by side, and tells what came of it: see `Endpoints.requestEach`. */
  callEach<T>(call: Omit<RpcCall<T>, 'onceEach'>): Promise<EndpointReply<T>[]>
  /** Asks for something that may take several calls at one endpoint, until what comes of them can be believed. */
  request<T>(request: RpcRequest<T>): Promise<T>
  /** Asks each endpoint once for something that may take several calls, side by side. Gives the answers that there are. */
  requestEach<T>(request: Pick<RpcRequest<T>, 'send' | 'signal'>): Promise<T[]>
  /** Says that what an endpoint has answered is wrong after all: it rests, see `Endpoints.reject`. */
  reject(endpoint: RpcEndpoint, error: unknown): void
  /** How many calls the endpoints bear side by side at this moment. */
  readonly width: number
  health(): readonly EndpointHealth[]
  /** Ends what is under way and closes the connections. */
  close(): Promise<void>
}

export interface RpcOptions {
  /** In order of preference. */
  readonly urls: readonly string[]
  /** Id of the chain that was published before (EIP-155). Default: that of the first endpoint to answer. */
  readonly publishedChainId?: number | undefined
  /** How long an endpoint has to begin an answer, and between two parts of it, in ms. Default 30,000. */
  readonly timeoutMs?: number | undefined
  /** As `RpcEndpointOptions` has it. */
  readonly connect?: ConnectHttp | undefined
  readonly log: Log
}

/** @throws {InvalidRpcUrlError} */
export function createRpc(options: RpcOptions): Rpc {
  const { urls, publishedChainId, timeoutMs = 30_000, connect, log } = options
  const checkChain = createChainCheck(publishedChainId)
  const clients = urls.map((url, index) => {
    const endpoint = createRpcEndpoint(url, { place: index + 1, timeoutMs, connect })
    const checked = withCheck(endpoint, () => checkChain(endpoint, index + 1))
    return withPauses(checked, (client, error) => endpoints.notePause(client, error))
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
    reject: (endpoint, error) => endpoints.reject(endpoint, error),
    get width() {
      return endpoints.width
    },
    health: () => endpoints.health(),
    async close() {
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}

/** The answer, or `undefined` where no endpoint has one that can be used. The reason of an abort is thrown. */
export async function answerIfAny<T>(asking: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await asking
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof RetryableError) return undefined
    throw error
  }
}

/** Makes what sends a call to an endpoint and makes a value of its answer. */
function sender<T>({ method, params, read, onError }: Omit<RpcCall<T>, 'signal'>): RpcRequest<T>['send'] {
  return async (endpoint, signal) => {
    try {
      const { result, length } = await endpoint.send({ method, params }, signal)
      return read(result, length)
    } catch (error) {
      if (onError && error instanceof RpcError) return onError(error)
      throw error
    }
  }
}

/** Checks that an endpoint serves the same chain as the others, and as what was published. */
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

/** An endpoint that has to pass a check once before anything else of it is believed. */
function withCheck(endpoint: RpcEndpoint, check: () => Promise<void>): RpcEndpoint {
  let checked: Promise<void> | undefined
  return {
    ...endpoint,
    async send(calls, signal) {
      checked ??= check().catch((error: unknown) => {
        checked = undefined
        throw error
      })
      await orAborted(checked, signal)
      return endpoint.send(calls, signal)
    },
  }
}

/** An endpoint that asks for a pause gets it at once, also where the request goes on with another call. */
function withPauses(endpoint: RpcEndpoint, notePause: (client: RpcEndpoint, error: unknown) => void): RpcEndpoint {
  const client: RpcEndpoint = {
    ...endpoint,
    async send(calls, signal) {
      try {
        return await endpoint.send(calls, signal)
      } catch (error) {
        notePause(client, error)
        throw error
      }
    },
  }
  return client
}

/** Others wait for it too, so it goes on where one of them is aborted. */
async function orAborted(waited: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return waited
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    if (signal.aborted) abort()
    await Promise.race([waited, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
