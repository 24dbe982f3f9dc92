import { type EndpointFailure, RetryableError } from '@headrace/sdk'
import {
  BlockPrunedError,
  ChainChangedError,
  ChainMismatchError,
  type Overload,
  RpcError,
  RpcOverloadedError,
  RpcRefusedError,
  RpcUnavailableError,
  UnverifiableBlockError,
} from '../errors.ts'

export function judgeFailure(error: unknown): EndpointFailure {
  if (error instanceof RpcOverloadedError) return { kind: 'overloaded', retryAfterMs: error.retryAfterMs }
  if (error instanceof RpcUnavailableError) return { kind: 'unavailable' }
  if (refusals.some((refusal) => error instanceof refusal)) return { kind: 'refused' }
  if (overloadOf(error)) return { kind: 'overloaded' }
  // Another node may have the block.
  if (error instanceof RetryableError || others.some((other) => error instanceof other)) return { kind: 'wrong' }
  return { kind: 'final' }
}

export function overloadOf(error: unknown): Overload | undefined {
  if (error instanceof RpcOverloadedError) return error.overload
  if (!(error instanceof RpcError)) return undefined
  const { message, rpcCode, calls } = error
  if (tooLarge.test(message)) return 'too_large'
  if (tooSlow.test(message)) return 'too_slow'
  if (rpcCode === limitExceeded || tooMany.test(message)) return 'too_many'
  return calls > 1 ? 'too_large' : undefined
}

const refusals = [RpcRefusedError, ChainMismatchError, ChainChangedError]
const others = [BlockPrunedError, UnverifiableBlockError]

/** `limit exceeded` in EIP-1474. Other limits have no standard code, so their messages are matched. */
const limitExceeded = -32005
const tooLarge = /too large|too big|response size|batch size|batch limit|too many calls/i
const tooSlow = /timed? ?out/i
const tooMany = /rate limit|too many requests|capacity|throttl/i

/** `Method not found` and `Invalid params` in JSON-RPC 2.0, `Method not supported` in EIP-1474. */
const unknownCodes: readonly (number | undefined)[] = [-32601, -32602, -32004]
const unknownMessages = /\bmethod( \S+)? (is |does )?not\b|not supported|unsupported/i

/** A refusal by HTTP status counts as one of the method: if the client is refused, the next request fails as well. */
export function isUnknownMethod(error: unknown): boolean {
  if (error instanceof RpcRefusedError) return true
  return error instanceof RpcError && (unknownCodes.includes(error.rpcCode) || unknownMessages.test(error.message))
}
