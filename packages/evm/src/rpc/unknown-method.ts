import { RpcError, RpcRefusedError } from '../errors.ts'

/**
 * `Method not found` and `Invalid params` in JSON-RPC 2.0, `Method not supported` in EIP-1474. The parameters are valid by
 * the execution API: a node that refuses them knows the method in another form only.
 */
const unknownCodes: readonly (number | undefined)[] = [-32601, -32602, -32004]
/** What providers that use other codes say. */
const unknownWords = /\bmethod( \S+)? (is |does )?not\b|not supported|unsupported/i

/**
 * Whether an endpoint says that it does not know a method, or does not hand it out. A refusal by HTTP status is taken for
 * one of the method: one of this client strikes what is asked next too.
 */
export function isUnknownMethod(error: unknown): boolean {
  if (error instanceof RpcRefusedError) return true
  return error instanceof RpcError && (unknownCodes.includes(error.rpcCode) || unknownWords.test(error.message))
}
