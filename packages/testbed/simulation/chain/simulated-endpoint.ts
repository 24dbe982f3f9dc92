import { errors } from 'undici'
import type { HttpAnswer, HttpConnection, HttpPost } from '../../../evm/src/rpc/http-connection.ts'
import type { Call } from '../../recorded-chain/answer-call.ts'
import { answerRequest } from '../../recorded-chain/answer-request.ts'
import type { TransportFault } from '../../recorded-chain/replay-fault.ts'
import { currentProgram } from '../time/program.ts'
import type { World } from '../world/world.ts'
import type { AnswerFaults } from './answer-faults.ts'
import { type BackOffOracle, createBackOffOracle } from './back-off-oracle.ts'
import type { Replica } from './replica.ts'

/** An endpoint with one node, or with several in turn. */
export interface SimulatedEndpoint {
  readonly name: string
  readonly url: string
  /** Number of requests so far. */
  readonly requests: number
  connect(options: { readonly timeoutMs: number }): HttpConnection
  /** Refuses connections for some time, in ms. */
  goAway(ms: number): void
}

export interface SimulatedEndpointOptions {
  readonly name: string
  readonly replicas: readonly Replica[]
  readonly faults: AnswerFaults
}

interface Connection {
  readonly timeoutMs: number
  readonly closed: AbortSignal
  readonly backOff: BackOffOracle
}

const noBody = Buffer.alloc(0)
const secondsAsked = [1, 1, 5, 30, 120]

export function createSimulatedEndpoint(world: World, options: SimulatedEndpointOptions): SimulatedEndpoint {
  const { name, replicas, faults } = options
  const { random } = world
  const latencyMs = random.pick([2, 20, 100])
  const hasBlockReceipts = random.integer(4) > 0
  let awayUntil = 0
  let requests = 0

  const delay = (): number => 1 + random.integer(latencyMs)

  /** The answer to a request that has arrived, or an error. */
  function answer(body: string): HttpAnswer | Error {
    if (awayUntil > world.now()) return new errors.SocketError('connect ECONNREFUSED')
    const { view } = random.pick(replicas)
    const answered = answerRequest(
      {
        chain: view,
        hasBlockReceipts,
        fault: faults,
        onFault: (fault) => world.note(name, () => `answers wrongly: ${fault}`),
      },
      inSomeOrder(JSON.parse(body) as Call | Call[]),
    )
    const complete = Buffer.concat(answered.body)
    return answered.fault ? faultyAnswer(answered.fault, complete) : ok(complete)
  }

  /** Answers of a batch may have any order (JSON-RPC 2.0, section 6). */
  function inSomeOrder(request: Call | Call[]): Call | Call[] {
    return Array.isArray(request) && random.integer(2) === 0 ? request.toReversed() : request
  }

  function faultyAnswer(fault: TransportFault, complete: Buffer): HttpAnswer | Error {
    switch (fault) {
      case 'truncated_json':
        return ok(complete.subarray(0, complete.length >> 1))
      case 'connection_cut':
        return new errors.SocketError('other side closed')
      case 'retry_after_seconds':
        return { status: 429, headers: { 'retry-after': `${retryAfter()}` }, body: noBody }
      case 'retry_after_date': {
        const date = new Date(Date.now() + retryAfter() * 1000).toUTCString()
        return { status: random.pick([429, 503]), headers: { 'retry-after': date }, body: noBody }
      }
      default:
        return {
          status: Number(fault.slice('status_'.length)),
          headers: {},
          body: Buffer.from('<html>An error has occurred.</html>'),
        }
    }
  }

  function retryAfter(): number {
    const seconds = random.pick(secondsAsked)
    world.faultLasts(seconds * 1000)
    return seconds
  }

  /** Delay of the answer, sometimes longer than the timeout of the reader. */
  function answerDelay(timeoutMs: number): number {
    if (!world.strikes('node answers late')) return delay()
    const ms = random.integer(random.pick([1_000, timeoutMs, 2 * timeoutMs]))
    world.note(name, `answers ${ms} ms late`)
    world.faultLasts(ms)
    return ms
  }

  function post({ body, signal }: HttpPost, { timeoutMs, closed, backOff }: Connection): Promise<HttpAnswer> {
    requests++
    world.countRequest()
    backOff.onRequest()
    const program = currentProgram()
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>()
    const abort = (): void => reject(signal!.reason)
    const close = (): void => reject(new errors.ClientDestroyedError())
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    closed.addEventListener('abort', close)
    world.later(delay(), () => {
      const answered = answer(body)
      const ms = answerDelay(timeoutMs)
      world.later(
        Math.min(ms, timeoutMs),
        () => {
          if (ms >= timeoutMs) reject(new errors.HeadersTimeoutError())
          else {
            // A client that has given up does not see the answer.
            if (!signal?.aborted && !closed.aborted) backOff.onAnswer(answered)
            if (answered instanceof Error) reject(answered)
            else resolve(answered)
          }
        },
        program,
      )
    })
    return promise.finally(() => {
      signal?.removeEventListener('abort', abort)
      closed.removeEventListener('abort', close)
    })
  }

  return {
    name,
    url: `http://${name}.test`,
    get requests() {
      return requests
    },
    connect({ timeoutMs }) {
      const closing = new AbortController()
      const connection = { timeoutMs, closed: closing.signal, backOff: createBackOffOracle(world, name) }
      return {
        post: (request) => post(request, connection),
        close: async () => closing.abort(),
      }
    },
    goAway(ms) {
      world.note(name, `is away for ${ms} ms`)
      awayUntil = world.now() + ms
      world.faultLasts(ms)
    },
  }
}

function ok(body: Buffer): HttpAnswer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}
