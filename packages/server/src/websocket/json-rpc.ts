import type { ApiKey } from '../access/keys/api-key.ts'
import type { RefusalCode, RefusedError } from '../errors.ts'

export interface RpcError {
  readonly code: number
  readonly meaning: string
  readonly refusals: readonly RefusalCode[]
}

const table = {
  parseError: { code: -32700, meaning: 'not JSON', refusals: [] },
  invalidRequest: { code: -32600, meaning: 'not a request, an empty batch, or too many requests in one', refusals: [] },
  methodNotFound: { code: -32601, meaning: 'unknown method', refusals: [] },
  invalidParams: {
    code: -32602,
    meaning: 'invalid parameters',
    refusals: ['invalid_parameter', 'invalid_cursor'],
  },
  internalError: { code: -32603, meaning: 'not caused by the request', refusals: ['internal', 'overloaded'] },
  topic: {
    code: -32001,
    meaning: 'a topic that cannot be read with the key',
    refusals: ['topic_not_found', 'topic_forbidden'],
  },
  positionUnavailable: {
    code: -32002,
    meaning: 'the records at a position no longer exist; `data` has `earliest` and `reason`',
    refusals: ['position_unavailable'],
  },
  rateLimited: { code: -32005, meaning: 'too many requests; `data` has `retryAfterMs`', refusals: ['rate_limited'] },
  tooManySubscriptions: {
    code: -32006,
    meaning: 'more topics than a connection may have',
    refusals: ['too_many_subscriptions'],
  },
} as const

/** JSON-RPC 2.0, section 5.1, and the gateway's own. */
export const rpcErrors: Readonly<Record<keyof typeof table, RpcError>> = table

const byRefusal = new Map(
  Object.values(rpcErrors).flatMap(({ code, refusals }) => refusals.map((refusal) => [refusal, code] as const)),
)

function rpcCodeOf(refusal: RefusalCode): number {
  return byRefusal.get(refusal) ?? rpcErrors.internalError.code
}

/** Without `id` it is not answered. */
interface RpcCall {
  readonly id?: RpcId
  readonly method: string
  readonly params: unknown
}

type RpcId = string | number | null

export type RpcMethod = (params: unknown, key: ApiKey) => Promise<RpcOutcome> | RpcOutcome

export interface RpcOutcome {
  readonly result: unknown
  afterReply?(): void
}

export interface RpcAnswer {
  readonly text: string | undefined
  afterReply(): void
}

export interface RpcOptions {
  readonly methods: Readonly<Record<string, RpcMethod>>
  readonly maxBatch: number
  /** Also for invalid messages. Throws if the rate is exceeded. */
  takeRequest(): ApiKey
  toRefusal(error: unknown): RefusedError
}

/** Executes a JSON-RPC 2.0 message, or those of a batch in order. Never throws. */
export async function answerMessage(text: string, options: RpcOptions): Promise<RpcAnswer> {
  const afterReplies: (() => void)[] = []
  const afterReply = () => {
    for (const each of afterReplies) each()
  }
  const message = parse(text)
  const fault = faultOf(message, options.maxBatch)
  if (fault) return { text: refuse(fault), afterReply }
  if (!Array.isArray(message)) return { text: await execute(message), afterReply }
  const answers: string[] = []
  for (const each of message) {
    const answer = await execute(each)
    if (answer !== undefined) answers.push(answer)
  }
  return { text: answers.length === 0 ? undefined : `[${answers.join(',')}]`, afterReply }

  async function execute(request: unknown): Promise<string | undefined> {
    const call = readCall(request)
    if (!call) return refuse({ error: rpcErrors.invalidRequest, detail: 'The message is not a JSON-RPC 2.0 request.' })
    const { id } = call
    const answer = await run(call)
    return id === undefined ? undefined : answer(id)
  }

  async function run({ method, params }: RpcCall): Promise<(id: RpcId) => string> {
    try {
      const key = options.takeRequest()
      const known = Object.hasOwn(options.methods, method) ? options.methods[method] : undefined
      if (!known) {
        const names = Object.keys(options.methods).join(', ')
        return (id) => failure(id, rpcErrors.methodNotFound.code, `This method does not exist. Methods: ${names}.`)
      }
      const outcome = await known(params, key)
      if (outcome.afterReply) afterReplies.push(outcome.afterReply)
      return (id) => JSON.stringify({ jsonrpc: '2.0', id, result: outcome.result })
    } catch (error) {
      return (id) => refusal(id, error)
    }
  }

  function refuse({ error, detail }: Fault): string {
    try {
      options.takeRequest()
      return failure(null, error.code, detail)
    } catch (error) {
      return refusal(null, error)
    }
  }

  function refusal(id: RpcId, error: unknown): string {
    const { code, message, members } = options.toRefusal(error)
    return failure(id, rpcCodeOf(code), message, { code, ...members })
  }
}

interface Fault {
  readonly error: RpcError
  readonly detail: string
}

function faultOf(message: unknown, maxBatch: number): Fault | undefined {
  if (message === undefined) return { error: rpcErrors.parseError, detail: 'The message is not JSON.' }
  if (!Array.isArray(message)) return undefined
  const error = rpcErrors.invalidRequest
  if (message.length === 0) return { error, detail: 'A batch holds at least one request.' }
  if (message.length > maxBatch) return { error, detail: `A batch holds at most ${maxBatch} requests.` }
  return undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readCall(request: unknown): RpcCall | undefined {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return undefined
  const { jsonrpc, id, method, params } = request as Record<string, unknown>
  if (jsonrpc !== '2.0' || typeof method !== 'string') return undefined
  if (params !== undefined && (typeof params !== 'object' || params === null)) return undefined
  if (id === undefined) return { method, params }
  return isId(id) ? { id, method, params } : undefined
}

/** An integer that parsing has rounded could not be repeated in the answer. */
function isId(id: unknown): id is RpcId {
  if (typeof id === 'number') return Number.isInteger(id) ? Number.isSafeInteger(id) : Number.isFinite(id)
  return id === null || typeof id === 'string'
}

function failure(id: RpcId, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}
