import type { RefusalCode } from '../errors.ts'

export interface RpcError {
  readonly code: number
  readonly meaning: string
  /** Possible values of `data.code`. */
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

export function rpcCodeOf(refusal: RefusalCode): number {
  return byRefusal.get(refusal) ?? rpcErrors.internalError.code
}
