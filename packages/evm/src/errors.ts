import { fileURLToPath } from 'node:url'
import { RetryableError, UserError } from '@headrace/sdk'

/** Every code this package throws. */
export const evmErrorCodes = [
  'invalid_rpc_url',
  'invalid_ws_url',
  'invalid_block_range',
  'rpc_refused',
  'rpc_unavailable',
  'rpc_overloaded',
  'rpc_error',
  'invalid_answer',
  'contradicted_block',
  'block_unavailable',
  'block_pruned',
  'unverifiable_block',
  'chain_mismatch',
  'chain_changed',
  'invalid_recording',
] as const

/** An endpoint that is not an http or https URL. The URL is not shown, since it may hold a key. */
export class InvalidRpcUrlError extends UserError {
  constructor(place: number, problem = 'is not an http:// or https:// URL. Give one like https://node.example/KEY') {
    super('invalid_rpc_url', `Setting "rpc": URL number ${place} ${problem}.`)
  }
}

/** A WebSocket setting that is no ws or wss URL. The URL is not shown, since it may hold a key. */
export class InvalidWsUrlError extends UserError {
  constructor(problem = 'is not a ws:// or wss:// URL. Give one like wss://node.example/KEY') {
    super('invalid_ws_url', `Setting "ws" ${problem}.`)
  }
}

export class InvalidBlockRangeError extends UserError {
  constructor(start: number, end: number) {
    super(
      'invalid_block_range',
      `Settings "start" and "end": block ${start} lies after block ${end}. Give an end that is not below the start.`,
    )
  }
}

/** The endpoint does not serve this client, or not at this address. */
export class RpcRefusedError extends UserError {
  readonly endpoint: string
  readonly status: number

  constructor(endpoint: string, status: number) {
    super(
      'rpc_refused',
      `The node at ${endpoint} answered with HTTP status ${status}. Check the URL in setting "rpc" and the key in it.`,
    )
    this.endpoint = endpoint
    this.status = status
  }
}

/** No connection, a server error, or no JSON-RPC answer. */
export class RpcUnavailableError extends RetryableError {
  readonly endpoint: string

  constructor(endpoint: string, reason: string) {
    super(
      'rpc_unavailable',
      `The node at ${endpoint} did not answer: ${reason}. Check that it runs, and its URL in setting "rpc".`,
    )
    this.endpoint = endpoint
  }
}

/** What an endpoint asks for less of: requests, work for one answer, or calls and data in one request. */
export type Overload = 'too_many' | 'too_slow' | 'too_large'

/** The endpoint asks for less: HTTP 429 and the like, no answer in time, or an answer that is too large. */
export class RpcOverloadedError extends RetryableError {
  readonly endpoint: string
  readonly overload: Overload
  /** What `Retry-After` asked for, in ms. */
  readonly retryAfterMs: number | undefined

  constructor(endpoint: string, overload: Overload, complaint: string, retryAfterMs?: number) {
    const wait = retryAfterMs === undefined ? '' : ` and asks to wait for ${Math.ceil(retryAfterMs / 1000)} s`
    super('rpc_overloaded', `The node at ${endpoint} ${complaint}${wait}.`)
    this.endpoint = endpoint
    this.overload = overload
    this.retryAfterMs = retryAfterMs
  }
}

/** The error of a JSON-RPC answer, as far as it keeps to the specification. */
export interface RpcFailure {
  readonly code?: number | undefined
  readonly message: string
  /** How many calls of a batch it answers alone. Default 1. */
  readonly calls?: number
}

/** The node answered a call with a JSON-RPC error. */
export class RpcError extends RetryableError {
  readonly endpoint: string
  readonly method: string
  /** The `code` of the JSON-RPC error object. */
  readonly rpcCode: number | undefined
  /** How many calls it answers: several where a batch was refused as a whole. */
  readonly calls: number

  constructor(endpoint: string, method: string, { code, message, calls = 1 }: RpcFailure) {
    const what = calls > 1 ? `a batch of ${calls} ${method}` : method
    const number = code === undefined ? '' : ` ${code}`
    super('rpc_error', `The node at ${endpoint} answered ${what} with error${number}: ${message}.`)
    this.endpoint = endpoint
    this.method = method
    this.rpcCode = code
    this.calls = calls
  }
}

/** An answer that cannot be true. It is not published; the node is asked again. */
export class InvalidAnswerError extends RetryableError {
  constructor(subject: string, difference: string) {
    super('invalid_answer', unusableAnswer(subject, difference))
  }
}

/** Receipts of a block, or a count of its transactions, that tell of other transactions than the block holds. */
export class ContradictedBlockError extends RetryableError {
  constructor(subject: string, difference: string) {
    super('contradicted_block', unusableAnswer(subject, difference))
  }
}

function unusableAnswer(subject: string, difference: string): string {
  return `The node's answer about ${subject} cannot be used: ${difference}.`
}

/** The node has told of a block that it does not hand out, as nodes behind one load balancer do. */
export class BlockUnavailableError extends RetryableError {
  readonly block: number | string

  constructor(block: number | string) {
    super(
      'block_unavailable',
      `The node has no block ${block}, though by its head it should. If it keeps no blocks of so long ago, point "rpc" at ` +
        'a node that keeps the whole history, or begin with a later block by setting "start".',
    )
    this.block = block
  }
}

/** No node keeps a block of so long ago. */
export class BlockPrunedError extends UserError {
  readonly block: number

  constructor(block: number) {
    super(
      'block_pruned',
      `The node has removed block ${block} from its history. Point "rpc" at a node that keeps the whole history, or ` +
        'begin with a later block by setting "start".',
    )
    this.block = block
  }
}

/** A block whose hashes cannot be computed, since its chain has encodings of its own. */
export class UnverifiableBlockError extends UserError {
  constructor(difference: string) {
    super(
      'unverifiable_block',
      `Setting "verify": ${difference}, whose encoding only its own chain knows. Set "verify" to links.`,
    )
  }
}

/** An endpoint that serves another chain than the others. It is left out. */
export class ChainMismatchError extends UserError {
  readonly endpoint: string
  readonly chainId: number

  constructor(endpoint: string, place: number, chainId: number, expected: number) {
    super(
      'chain_mismatch',
      `Setting "rpc": URL number ${place} (${endpoint}) serves chain ${chainId}, and another one chain ${expected}. ` +
        'Give URLs of one chain.',
    )
    this.endpoint = endpoint
    this.chainId = chainId
  }
}

/** What was published before came from another chain. */
export class ChainChangedError extends UserError {
  readonly before: number
  readonly now: number

  constructor(before: number, now: number) {
    super(
      'chain_changed',
      `The node serves chain ${now}, but what was published before comes from chain ${before}. ` +
        'Point "rpc" at a node of that chain, or publish this one elsewhere: to another queue, or under another "chain" ' +
        'name where there is that setting.',
    )
    this.before = before
    this.now = now
  }
}

/** A file that holds no recorded chain. */
export class InvalidRecordingError extends UserError {
  constructor(file: string | URL, problem: string) {
    const name = file instanceof URL ? fileURLToPath(file) : file
    super(
      'invalid_recording',
      `${name} holds no recording of a chain: ${problem}. It must be JSON with "chainId" and "blocks". Restore the file, ` +
        'or set "rpc" to read from a node.',
    )
  }
}
