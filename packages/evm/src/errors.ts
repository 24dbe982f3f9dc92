import { RetryableError, UserError } from '@headrace/sdk'

/** Every code this package throws. */
export const evmErrorCodes = [
  'invalid_rpc_url',
  'invalid_block_range',
  'rpc_refused',
  'rpc_unavailable',
  'rpc_rate_limited',
  'rpc_error',
  'invalid_answer',
  'block_unavailable',
  'chain_changed',
] as const

/** An endpoint that is not an http or https URL. The URL is not shown, since it may hold a key. */
export class InvalidRpcUrlError extends UserError {
  constructor(place: number) {
    super(
      'invalid_rpc_url',
      `Setting "rpc": URL number ${place} is not an http:// or https:// URL. Give one like https://node.example/KEY.`,
    )
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

/** No connection, no answer in time, or a server error. */
export class RpcUnavailableError extends RetryableError {
  readonly endpoint: string

  constructor(endpoint: string, reason: string) {
    super('rpc_unavailable', `The node at ${endpoint} did not answer: ${reason}.`)
    this.endpoint = endpoint
  }
}

/** HTTP 429. */
export class RpcRateLimitedError extends RetryableError {
  readonly endpoint: string
  /** What `Retry-After` asked for, in ms. */
  readonly retryAfterMs: number | undefined

  constructor(endpoint: string, retryAfterMs: number | undefined) {
    const wait = retryAfterMs === undefined ? '' : ` and asks to wait for ${Math.ceil(retryAfterMs / 1000)} s`
    super('rpc_rate_limited', `The node at ${endpoint} refuses more requests for now${wait}.`)
    this.endpoint = endpoint
    this.retryAfterMs = retryAfterMs
  }
}

/** The node answered a call with a JSON-RPC error. */
export class RpcError extends RetryableError {
  readonly endpoint: string
  readonly method: string
  /** The `code` of the JSON-RPC error object. */
  readonly rpcCode: number

  constructor(endpoint: string, method: string, error: { code: number; message: string }) {
    super('rpc_error', `The node at ${endpoint} answered ${method} with error ${error.code}: ${error.message}.`)
    this.endpoint = endpoint
    this.method = method
    this.rpcCode = error.code
  }
}

/** An answer that cannot be true. It is not published; the node is asked again. */
export class InvalidAnswerError extends RetryableError {
  constructor(subject: string, difference: string) {
    super('invalid_answer', `The node's answer about ${subject} cannot be used: ${difference}.`)
  }
}

/** The node has told of a block that it does not hand out, as nodes behind one load balancer do. */
export class BlockUnavailableError extends RetryableError {
  readonly block: number | string

  constructor(block: number | string) {
    super('block_unavailable', `The node has no block ${block}, though by its head it should.`)
    this.block = block
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
        'Point "rpc" at a node of that chain, or publish this one under another "chain" name.',
    )
    this.before = before
    this.now = now
  }
}
