import { HeadraceError } from '@headrace/queue'
import { redactText } from './operations/redact.ts'

/** A reason to refuse a request. */
export interface Refusal {
  /** The HTTP status that goes with it. */
  readonly status: number
  /** What it means and what to do, in Markdown: what the documents and `docs/reference/errors.md` say of it. */
  readonly meaning: string
}

const table = {
  headers_too_large: { status: 431, meaning: "The request's headers are too large." },
  request_timeout: { status: 408, meaning: 'The request did not come whole in time.' },
  malformed_request: {
    status: 400,
    meaning:
      'This is not an HTTP/1.1 request that can be read, it has no `Host` header, two, or one that is no host, its path is not valid percent-encoding, or it asks for an event stream or a WebSocket behind an answer on its connection that is not over.',
  },
  expectation_failed: { status: 417, meaning: 'The `Expect` header asks for something else than `100-continue`.' },
  uri_too_long: { status: 414, meaning: 'The path and the query are too long.' },
  draining: { status: 503, meaning: 'The gateway is stopping. Connect again: another one takes over.' },
  path_not_found: { status: 404, meaning: 'There is nothing at this path.' },
  method_not_allowed: { status: 405, meaning: 'The path does not know this method. Use `GET` or `HEAD`.' },
  multiple_credentials: { status: 400, meaning: 'The key is there twice, in the header and as `api_key`. Send one.' },
  malformed_authorization: { status: 401, meaning: 'The header is not `Authorization: Bearer <API_KEY>`.' },
  wrong_environment: {
    status: 401,
    meaning: 'A live key at a development gateway, or a test key at a production gateway.',
  },
  invalid_key: { status: 401, meaning: 'The key is unknown, expired or revoked.' },
  missing_key: { status: 401, meaning: 'WebSocket and SSE need a key.' },
  origin_not_allowed: {
    status: 403,
    meaning: 'The `Origin` is not registered for this key, or is missing where the key requires one.',
  },
  rate_limited: {
    status: 429,
    meaning:
      'Too many requests. `Retry-After` says when to come again. Without a key, REST always answers this, and waiting does not help: send a key.',
  },
  connection_limit: { status: 429, meaning: 'The key holds as many connections as it may.' },
  topic_forbidden: { status: 403, meaning: 'The key does not cover the topic, whether it exists or not.' },
  invalid_parameter: {
    status: 400,
    meaning: 'A parameter is unknown, repeated or out of its range. `parameter` says which.',
  },
  invalid_cursor: { status: 400, meaning: 'The cursor is damaged or of other topics.' },
  too_many_subscriptions: { status: 400, meaning: 'More topics than one connection may have.' },
  topic_not_found: { status: 404, meaning: 'There is no such topic, or it has more partitions than are served.' },
  position_unavailable: {
    status: 410,
    meaning: 'What lay at the position is gone: `reason` says why, and `earliest` is the cursor to continue from.',
  },
  upgrade_required: { status: 426, meaning: '`/ws/v1` speaks WebSocket.' },
  internal: { status: 500, meaning: 'A bug. The `requestId` finds it in the log.' },
  overloaded: { status: 503, meaning: 'The gateway or its queue is busy. Come again.' },
} as const

export type RefusalCode = keyof typeof table

/** Every reason to refuse a request, by its stable code, in the order in which they are checked. */
export const refusals: Readonly<Record<RefusalCode, Refusal>> = table

/** Every code this package answers or throws. */
export const serverErrorCodes: readonly string[] = [
  ...Object.keys(table),
  'invalid_gateway_options',
  'invalid_key_options',
  'key_not_usable',
  'unknown_key',
]

/** What a refusal says besides its code. */
export interface RefusalDetails {
  /** Members of the problem document (RFC 9457, section 3.2) or of the `data` of a JSON-RPC error. */
  readonly members?: Readonly<Record<string, unknown>>
  /** HTTP headers that belong to it. */
  readonly headers?: Readonly<Record<string, string>>
  /** What went wrong. For the log: it is not told to the client. */
  readonly cause?: unknown
}

/**
 * A request is refused. It is an answer to a client, in whatever protocol. Message and members may repeat what the client
 * sent: keys are taken out of them.
 */
export class RefusedError extends HeadraceError {
  override readonly code: RefusalCode
  readonly status: number
  readonly members: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(code: RefusalCode, message: string, { members = {}, headers = {}, cause }: RefusalDetails = {}) {
    // Clients decide how many there are, and nobody reads where an expected one was made.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(code, redactText(message), cause === undefined ? undefined : { cause })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.status = refusals[code].status
    this.members = Object.fromEntries(
      Object.entries(members).map(([name, value]) => [name, typeof value === 'string' ? redactText(value) : value]),
    )
    this.headers = headers
  }
}
