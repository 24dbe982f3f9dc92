import { InvalidFilterError, PositionUnavailableError } from '@headrace/catalog'
import { HeadraceError, PositionLostError, RetryableError, UnknownTopicError } from '@headrace/queue'
import { redactText } from './access/keys/redact.ts'

/** In the order in which they are checked. Meanings are in Markdown, for OpenAPI and `docs/reference/errors.md`. */
export const refusals = {
  headers_too_large: { status: 431, meaning: "The request's headers are too large. Send fewer or shorter ones." },
  request_timeout: { status: 408, meaning: 'The request did not arrive completely in time. Send it again.' },
  malformed_request: {
    status: 400,
    meaning:
      'The bytes are not a valid HTTP/1.1 request; or the `Host` header is missing, repeated or invalid; or the path is not valid percent-encoding; or the body is incomplete or of no media type; or the request asks for an event stream or a WebSocket while an earlier response on its connection is still open. Correct the request.',
  },
  expectation_failed: {
    status: 417,
    meaning: 'The `Expect` header has another value than `100-continue`. Remove the header.',
  },
  uri_too_long: {
    status: 414,
    meaning: 'The path and the query are too long. Shorten them, for example by naming fewer topics.',
  },
  draining: { status: 503, meaning: 'The gateway is stopping. Connect again to reach another one.' },
  path_not_found: { status: 404, meaning: 'This path does not exist. `GET /` lists the paths.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The path does not support this method. Use one of those in the header `Allow`.',
  },
  body_too_large: { status: 413, meaning: 'The body is too large. Send less.' },
  multiple_credentials: {
    status: 400,
    meaning: 'The request has two keys or tokens, in the header and as `api_key`. Send one.',
  },
  malformed_authorization: {
    status: 401,
    meaning: 'The `Authorization` header does not have the form `Bearer <API_KEY>`. Correct it.',
  },
  wrong_environment: {
    status: 401,
    meaning:
      "A live key, or its token, was sent to a development gateway, or a test key to a production gateway. Use a key of the gateway's environment.",
  },
  invalid_key: { status: 401, meaning: 'The key is unknown, expired or revoked. Use another key.' },
  invalid_token: {
    status: 401,
    meaning:
      'The token has a mistake, which `detail` names, or is not signed by a usable key: one that is not unknown, expired or revoked. Create another token.',
  },
  token_expired: { status: 401, meaning: 'The token has expired. Get a new one and send the request again.' },
  missing_key: {
    status: 401,
    meaning:
      'WebSocket, SSE, `/mcp`, `/schema-registry`, usage and the creation of tokens need a key, unless this gateway serves topics without one. Send one.',
  },
  origin_not_allowed: {
    status: 403,
    meaning:
      'The `Origin` is not registered for this key or not that of this token, or is missing where one is required. Register the origin for the key, or use another key or token.',
  },
  rate_limited: {
    status: 429,
    meaning:
      'Too many requests. `Retry-After` says when to retry. Without it, waiting does not help: this gateway serves nothing without a key. Send one.',
  },
  quota_exceeded: {
    status: 429,
    meaning:
      'The monthly quota of the key is used up. It is available again at `resetsAt`, until which `Retry-After` has the seconds. Wait, or use another key.',
  },
  connection_limit: {
    status: 429,
    meaning:
      'The key, or the address without a key, has as many open connections as it may. Close one, or use another key.',
  },
  topic_forbidden: {
    status: 403,
    meaning:
      'The key or token does not cover the topic, whether it exists or not, or the topic needs a key. Use another one, or another topic.',
  },
  invalid_parameter: {
    status: 400,
    meaning: 'A parameter is unknown, repeated or outside its range. Correct the one that `parameter` names.',
  },
  invalid_cursor: {
    status: 400,
    meaning: 'The cursor is damaged or belongs to other topics. Use a cursor as it was received for these topics.',
  },
  too_many_subscriptions: {
    status: 400,
    meaning: 'The request names more topics than one connection may have. Name fewer, or open another connection.',
  },
  topic_not_found: {
    status: 404,
    meaning:
      'The topic does not exist, or has more partitions than a gateway serves. `GET /api/v1/topics` lists the topics.',
  },
  schema_not_found: {
    status: 404,
    meaning:
      'The topics of the key have no such subject, version or schema. `error_code` says which. `GET /schema-registry/subjects` lists the subjects.',
  },
  invalid_schema_request: {
    status: 422,
    meaning:
      'The version, the schema in the body, `offset` or `limit` has not the form that `message` names. Correct it.',
  },
  invalid_filter: {
    status: 400,
    meaning:
      'The filter is not valid for the topic. `detail` says what was found at `column`, and what is allowed there. Correct the filter.',
  },
  position_unavailable: {
    status: 410,
    meaning:
      'The records at the position no longer exist. `reason` says why, and `earliest` is the cursor to continue from.',
  },
  upgrade_required: { status: 426, meaning: '`/ws/v1` accepts WebSocket only. Connect with a WebSocket client.' },
  internal: { status: 500, meaning: "A bug. Report it with the entry of the gateway's log that has the `requestId`." },
  overloaded: { status: 503, meaning: 'The gateway or its queue is busy. Try again.' },
} as const

export type RefusalCode = keyof typeof refusals

export const serverErrorCodes: readonly string[] = [
  ...Object.keys(refusals),
  'invalid_gateway_options',
  'invalid_key_options',
  'key_not_usable',
  'unknown_key',
]

export interface RefusalDetails {
  /** Members of the problem document (RFC 9457) or of the `data` of a JSON-RPC error. */
  readonly members?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** A refused request, in any protocol. API keys are removed from message and members, which may repeat the request. */
export class RefusedError extends HeadraceError {
  override readonly code: RefusalCode
  readonly status: number
  readonly members: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(code: RefusalCode, message: string, { members = {}, headers = {}, cause }: RefusalDetails = {}) {
    // Clients can cause any number of these errors.
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

export function overloaded(message: string, cause?: unknown): RefusedError {
  return new RefusedError('overloaded', message, { headers: { 'retry-after': '1' }, cause })
}

export function topicNotFound(topic: string, message = 'No topic has this name.'): RefusedError {
  return new RefusedError('topic_not_found', message, { members: { topic } })
}

/** None of them decides whether a record can be decoded. */
const registryErrors: ReadonlySet<string> = new Set([
  'schema_registry_unavailable',
  'schema_registry_refused',
  'invalid_schema_registry_answer',
])

/** Reveals nothing internal to the client. */
export function toRefusal(error: unknown): RefusedError {
  if (error instanceof RefusedError) return error
  if (error instanceof PositionUnavailableError)
    return new RefusedError('position_unavailable', error.message, {
      members: { topic: error.topic, earliest: error.earliest, reason: error.reason },
    })
  if (error instanceof PositionLostError)
    return new RefusedError('position_unavailable', 'The records of this position have just been removed.', {
      members: { topic: error.topic },
    })
  if (error instanceof UnknownTopicError) return topicNotFound(error.topic)
  if (error instanceof HeadraceError && registryErrors.has(error.code))
    return overloaded('The schema registry of the topic does not answer. Try again.', error)
  if (error instanceof RetryableError) return overloaded('The queue does not answer. Try again.', error)
  if (error instanceof InvalidFilterError)
    return new RefusedError('invalid_filter', error.message, {
      members: { parameter: 'filter', column: error.column },
    })
  if (error instanceof HeadraceError && error.code === 'invalid_fields')
    return new RefusedError('invalid_parameter', error.message, { members: { parameter: 'fields' } })
  if (error instanceof HeadraceError && error.code === 'invalid_cursor')
    return new RefusedError('invalid_cursor', error.message)
  if (error instanceof HeadraceError && error.code === 'invalid_position')
    return new RefusedError('invalid_parameter', error.message)
  return new RefusedError(
    'internal',
    'The gateway failed unexpectedly. Its log holds the cause under the request id.',
    { cause: error },
  )
}
