import type { RefusedError } from '../errors.ts'
import { rpcCodeOf, rpcErrors } from './rpc-errors.ts'

/** A call that was read from a message. Without `id` it is a notification and never answered. */
interface RpcCall {
  readonly id?: RpcId
  readonly method: string
  readonly params: unknown
}

type RpcId = string | number | null

/** A method: answers with a result, and with what is to be done once the answer is sent. */
export type RpcMethod = (params: unknown) => Promise<RpcOutcome> | RpcOutcome

export interface RpcOutcome {
  readonly result: unknown
  afterReply?(): void
}

export interface RpcAnswer {
  /** `undefined` where there is nothing to answer. */
  readonly text: string | undefined
  /** To be called once the answer is sent. */
  afterReply(): void
}

export interface RpcOptions {
  readonly methods: Readonly<Record<string, RpcMethod>>
  /** Requests in one batch. */
  readonly maxBatch: number
  toRefusal(error: unknown): RefusedError
}

/** Executes a JSON-RPC 2.0 message, the requests of a batch one after the other. Never throws. */
export async function answerMessage(text: string, options: RpcOptions): Promise<RpcAnswer> {
  const afterReplies: (() => void)[] = []
  const afterReply = () => {
    for (const each of afterReplies) each()
  }
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return { text: failure(null, rpcErrors.parseError.code, 'The message is not JSON.'), afterReply }
  }
  if (!Array.isArray(message)) return { text: await execute(message), afterReply }
  if (message.length === 0)
    return { text: failure(null, rpcErrors.invalidRequest.code, 'A batch holds at least one request.'), afterReply }
  if (message.length > options.maxBatch)
    return {
      text: failure(null, rpcErrors.invalidRequest.code, `A batch holds at most ${options.maxBatch} requests.`),
      afterReply,
    }
  const answers: string[] = []
  for (const each of message) {
    const answer = await execute(each)
    if (answer !== undefined) answers.push(answer)
  }
  return { text: answers.length === 0 ? undefined : `[${answers.join(',')}]`, afterReply }

  async function execute(request: unknown): Promise<string | undefined> {
    const call = readCall(request)
    if (!call) return failure(null, rpcErrors.invalidRequest.code, 'This is not a JSON-RPC 2.0 request.')
    const { id } = call
    const answer = await run(call)
    return id === undefined ? undefined : answer(id)
  }

  async function run({ method, params }: RpcCall): Promise<(id: RpcId) => string> {
    const known = Object.hasOwn(options.methods, method) ? options.methods[method] : undefined
    if (!known) {
      const names = Object.keys(options.methods).join(', ')
      return (id) => failure(id, rpcErrors.methodNotFound.code, `There is no such method. There are: ${names}.`)
    }
    try {
      const outcome = await known(params)
      if (outcome.afterReply) afterReplies.push(outcome.afterReply)
      return (id) => JSON.stringify({ jsonrpc: '2.0', id, result: outcome.result })
    } catch (error) {
      const refusal = options.toRefusal(error)
      const data = { code: refusal.code, ...refusal.members }
      return (id) => failure(id, rpcCodeOf(refusal.code), refusal.message, data)
    }
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

/** A number that reading has rounded could not come back as it was. */
function isId(id: unknown): id is RpcId {
  if (typeof id === 'number') return Number.isInteger(id) ? Number.isSafeInteger(id) : Number.isFinite(id)
  return id === null || typeof id === 'string'
}

function failure(id: RpcId, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}
