import type { Grant } from '../access/grant.ts'
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
    refusals: ['invalid_parameter', 'invalid_cursor', 'invalid_filter'],
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
  rateLimited: {
    code: -32005,
    meaning: 'too many requests; `data` has `retryAfterMs`, or `resetsAt` of a monthly quota',
    refusals: ['rate_limited', 'quota_exceeded'],
  },
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

/** A call without `id` is not answered. */
interface RpcCall {
  readonly id?: RpcId
  readonly method: string
  readonly params: unknown
}

type RpcId = string | number | null

export type RpcMethod = (params: unknown, grant: Grant) => Promise<RpcOutcome> | RpcOutcome

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
  /** Takes a request from the rate of the key, also for an invalid call. Throws if the rate is exceeded. */
  takeRequest(): Grant | Promise<Grant>
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
  if (fault) return { text: respond(null, await count(() => fault)), afterReply }
  if (!Array.isArray(message)) return { text: await execute(message), afterReply }
  const answers: string[] = []
  for (const each of message) {
    const answer = await execute(each)
    if (answer !== undefined) answers.push(answer)
  }
  return { text: answers.length === 0 ? undefined : `[${answers.join(',')}]`, afterReply }

  async function execute(request: unknown): Promise<string | undefined> {
    const call = readCall(request)
    if (!call) return respond(null, await count(() => invalidRequest('The message is not a JSON-RPC 2.0 request.')))
    const body = await count((grant) => run(call, grant))
    return call.id === undefined ? undefined : respond(call.id, body)
  }

  /** Invalid requests count too. */
  async function count(answer: (grant: Grant) => RpcBody | Promise<RpcBody>): Promise<RpcBody> {
    try {
      return await answer(await options.takeRequest())
    } catch (error) {
      const { code, message, members } = options.toRefusal(error)
      return failure(rpcCodeOf(code), message, { code, ...members })
    }
  }

  async function run({ method, params }: RpcCall, grant: Grant): Promise<RpcBody> {
    const known = Object.hasOwn(options.methods, method) ? options.methods[method] : undefined
    if (!known) {
      const names = Object.keys(options.methods).join(', ')
      return failure(rpcErrors.methodNotFound.code, `This method does not exist. Methods: ${names}.`)
    }
    const { result, afterReply } = await known(params, grant)
    if (afterReply) afterReplies.push(afterReply)
    return { result }
  }
}

function faultOf(message: unknown, maxBatch: number): RpcBody | undefined {
  if (message === undefined) return failure(rpcErrors.parseError.code, 'The message is not JSON.')
  if (!Array.isArray(message)) return undefined
  if (message.length === 0) return invalidRequest('A batch holds at least one request.')
  return message.length > maxBatch ? invalidRequest(`A batch holds at most ${maxBatch} requests.`) : undefined
}

function invalidRequest(message: string): RpcBody {
  return failure(rpcErrors.invalidRequest.code, message)
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

type RpcBody =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

function failure(code: number, message: string, data?: unknown): RpcBody {
  return { error: { code, message, data } }
}

function respond(id: RpcId, body: RpcBody): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...body })
}
