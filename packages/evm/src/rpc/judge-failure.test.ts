import { expect, test } from 'vitest'
import {
  BlockPrunedError,
  ChainMismatchError,
  InvalidAnswerError,
  RpcError,
  RpcOverloadedError,
  RpcRefusedError,
  RpcUnavailableError,
  UnverifiableBlockError,
} from '../errors.ts'
import { judgeFailure, overloadOf } from './judge-failure.ts'

const rpcError = (code: number | undefined, message: string, calls = 1) =>
  new RpcError('node', 'eth_getBlockByNumber', { code, message, calls })

test.each<[string, unknown, string]>([
  ['a temporary refusal', new RpcOverloadedError('node', 'too_many', 'refuses'), 'overloaded'],
  ['no connection', new RpcUnavailableError('node', 'reset'), 'unavailable'],
  ['a refused key', new RpcRefusedError('node', 401), 'refused'],
  ['another chain', new ChainMismatchError('node', 1, 2, 3), 'refused'],
  ['a wrong answer', new InvalidAnswerError('block 1', 'it is block 2'), 'wrong'],
  ['a removed block', new BlockPrunedError(1), 'wrong'],
  ['a block that cannot be verified', new UnverifiableBlockError('its type is 126'), 'wrong'],
  ['an error of the node', rpcError(-32000, 'header not found'), 'wrong'],
  ['an error whose message names the load', rpcError(-32000, 'daily request capacity reached'), 'overloaded'],
  ['a bug', new TypeError('undefined is not a function'), 'final'],
])('the kind of the failure is determined: %s', (_, error, kind) => {
  expect(judgeFailure(error).kind).toBe(kind)
})

test('the pause that an endpoint requests is returned', () => {
  const error = new RpcOverloadedError('node', 'too_many', 'refuses', 2000)
  expect(judgeFailure(error)).toEqual({ kind: 'overloaded', retryAfterMs: 2000 })
})

test.each<[unknown, string | undefined]>([
  [rpcError(-32005, 'limit exceeded'), 'too_many'],
  [rpcError(-32005, 'response size exceeded'), 'too_large'],
  [rpcError(-32008, 'Response is too big'), 'too_large'],
  [rpcError(-32000, 'batch size 100 exceeds 20', 100), 'too_large'],
  [rpcError(-32600, 'invalid request', 100), 'too_large'],
  [rpcError(-32600, 'invalid request'), undefined],
  [rpcError(429, 'Too Many Requests', 100), 'too_many'],
  [rpcError(-32000, 'request timed out'), 'too_slow'],
  [rpcError(undefined, 'project rate limit'), 'too_many'],
  [rpcError(-32000, 'nonce too low'), undefined],
  [new RpcOverloadedError('node', 'too_slow', 'did not answer within 30 s'), 'too_slow'],
  [new RpcUnavailableError('node', 'reset'), undefined],
])('%s is an overload: %s', (error, overload) => {
  expect(overloadOf(error)).toBe(overload)
})
