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

/** What an error says about the endpoint that it came from. */
export function judgeFailure(error: unknown): EndpointFailure {
  if (error instanceof RpcOverloadedError) return { kind: 'overloaded', retryAfterMs: error.retryAfterMs }
  if (error instanceof RpcUnavailableError) return { kind: 'unavailable' }
  if (refusals.some((refusal) => error instanceof refusal)) return { kind: 'refused' }
  if (overloadOf(error)) return { kind: 'overloaded' }
  // Another node may keep what this one has removed, and know the block that this one got wrong.
  if (error instanceof RetryableError || others.some((other) => error instanceof other)) return { kind: 'wrong' }
  return { kind: 'final' }
}

/** What an error says the endpoint has too much of; `undefined` where it says nothing of the kind. */
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

/** `limit exceeded` in EIP-1474; what providers use besides has no standard but its words. */
const limitExceeded = -32005
const tooLarge = /too large|too big|response size|batch size|batch limit|too many calls/i
const tooSlow = /timed? ?out/i
const tooMany = /rate limit|too many requests|capacity|throttl/i
