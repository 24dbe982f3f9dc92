import { fileURLToPath } from 'node:url'
import { RetryableError, UserError } from '@headrace/sdk'

export const evmErrorCodes = [
  'invalid_rpc_url',
  'invalid_ws_url',
  'invalid_block_range',
  'invalid_event_filter',
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

/** The URL is not in the message, because it may contain a key. */
export class InvalidRpcUrlError extends UserError {
  constructor(place: number, problem = 'is not an http:// or https:// URL. Give one like https://node.example/KEY') {
    super('invalid_rpc_url', `Setting "rpc": URL number ${place} ${problem}.`)
  }
}

export class InvalidWsUrlError extends UserError {
  constructor(problem = 'is not a ws:// or wss:// URL. Give one like wss://node.example/KEY') {
    super('invalid_ws_url', `Setting "ws" ${problem}.`)
  }
}

export class InvalidBlockRangeError extends UserError {
  constructor(start: number, end: number) {
    super(
      'invalid_block_range',
      `Settings "start" and "end": the start ${start} is greater than the end ${end}. Set an end that is not below the start.`,
    )
  }
}

/** A filter of `readEvents` cannot select anything, or not what it names. */
export class InvalidEventFilterError extends UserError {
  /** @param place Position of the filter, from 1. `undefined`: the list of filters itself. */
  constructor(place: number | undefined, problem: string) {
    const name = place === undefined ? 'The filters of events' : `Filter number ${place} of events`
    super('invalid_event_filter', `${name}: ${problem}.`)
  }
}

/** The endpoint rejects this client, or the URL is not a JSON-RPC endpoint. */
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

/** No connection, a server error, or an answer that is not JSON-RPC. */
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

export type Overload = 'too_many' | 'too_slow' | 'too_large'

/** HTTP 429 and the like, no answer in time, or an answer that is too large. */
export class RpcOverloadedError extends RetryableError {
  readonly endpoint: string
  readonly overload: Overload
  readonly retryAfterMs: number | undefined

  constructor(endpoint: string, overload: Overload, problem: string, retryAfterMs?: number) {
    const wait = retryAfterMs === undefined ? '' : ` and asks to wait for ${Math.ceil(retryAfterMs / 1000)} s`
    super('rpc_overloaded', `The node at ${endpoint} ${problem}${wait}.`)
    this.endpoint = endpoint
    this.overload = overload
    this.retryAfterMs = retryAfterMs
  }
}

export interface RpcFailure {
  readonly code?: number | undefined
  readonly message: string
  /** Number of calls in the rejected batch. Default 1. */
  readonly calls?: number
}

export class RpcError extends RetryableError {
  readonly endpoint: string
  readonly method: string
  readonly rpcCode: number | undefined
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

/** The answer is not what was requested, or contradicts itself. */
export class InvalidAnswerError extends RetryableError {
  constructor(subject: string, difference: string) {
    super('invalid_answer', invalidAnswer(subject, difference))
  }
}

/** The receipts of a block, or its count of transactions, do not match its transactions. */
export class ContradictedBlockError extends RetryableError {
  constructor(subject: string, difference: string) {
    super('contradicted_block', invalidAnswer(subject, difference))
  }
}

function invalidAnswer(subject: string, difference: string): string {
  return `The node's answer for ${subject} is invalid: ${difference}.`
}

export class BlockUnavailableError extends RetryableError {
  readonly block: number | string

  constructor(block: number | string) {
    super(
      'block_unavailable',
      `The node does not return block ${block}, although its head is not below it. If the node has removed old blocks, set ` +
        '"rpc" to a node with the whole history, or set "start" to a later block.',
    )
    this.block = block
  }
}

export class BlockPrunedError extends UserError {
  readonly block: number

  constructor(block: number) {
    super(
      'block_pruned',
      `The node has removed block ${block} from its history. Set "rpc" to a node with the whole history, or set "start" to ` +
        'a later block.',
    )
    this.block = block
  }
}

export class UnverifiableBlockError extends UserError {
  constructor(difference: string) {
    super(
      'unverifiable_block',
      `Setting "verify" is "roots", but ${difference}, whose encoding is specific to its chain. Set "verify" to "links".`,
    )
  }
}

export class ChainMismatchError extends UserError {
  readonly endpoint: string
  readonly chainId: number

  constructor(endpoint: string, place: number, chainId: number, expected: number) {
    super(
      'chain_mismatch',
      `Setting "rpc": URL number ${place} (${endpoint}) serves chain ${chainId}, and another URL serves chain ${expected}. ` +
        'Set URLs of one chain.',
    )
    this.endpoint = endpoint
    this.chainId = chainId
  }
}

export class ChainChangedError extends UserError {
  readonly before: number
  readonly now: number

  constructor(before: number, now: number) {
    super(
      'chain_changed',
      `The node serves chain ${now}, but the published blocks are from chain ${before}. Set "rpc" to a node of chain ` +
        `${before}, or publish chain ${now} to another queue, or under another "chain" name if there is that setting.`,
    )
    this.before = before
    this.now = now
  }
}

export class InvalidRecordingError extends UserError {
  constructor(file: string | URL, problem: string) {
    const name = file instanceof URL ? fileURLToPath(file) : file
    super(
      'invalid_recording',
      `${name} is not a recording of a chain: ${problem}. It must be JSON with "chainId" and "blocks". Restore the file, ` +
        'or set "rpc" to read from a node.',
    )
  }
}
