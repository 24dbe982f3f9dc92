import { type HeadraceError, RetryableError, UserError } from '@headrace/queue'

/** Why a request is refused: its stable code, the HTTP status that goes with it, and whether waiting can help. */
const refusals = {
  path_not_found: { status: 404, retry: false },
  method_not_allowed: { status: 405, retry: false },
  uri_too_long: { status: 414, retry: false },
  headers_too_large: { status: 431, retry: false },
  malformed_request: { status: 400, retry: false },
  multiple_credentials: { status: 400, retry: false },
  malformed_authorization: { status: 401, retry: false },
  invalid_key: { status: 401, retry: false },
  wrong_environment: { status: 401, retry: false },
  missing_key: { status: 401, retry: false },
  origin_not_allowed: { status: 403, retry: false },
  rate_limited: { status: 429, retry: true },
  connection_limit: { status: 429, retry: true },
  topic_forbidden: { status: 403, retry: false },
  invalid_parameter: { status: 400, retry: false },
  invalid_cursor: { status: 400, retry: false },
  too_many_subscriptions: { status: 400, retry: false },
  topic_not_found: { status: 404, retry: false },
  position_unavailable: { status: 410, retry: false },
  upgrade_required: { status: 426, retry: false },
  internal: { status: 500, retry: false },
  unsupported_topic: { status: 501, retry: false },
  overloaded: { status: 503, retry: true },
  draining: { status: 503, retry: true },
} as const

export type RefusalCode = keyof typeof refusals

/** Every code this package answers or throws. */
export const serverErrorCodes: readonly string[] = [...Object.keys(refusals), 'invalid_key_options', 'unknown_key']

/** What a refusal says besides its code. */
export interface RefusalDetails {
  /** Members of the problem document (RFC 9457, section 3.2) or of the `data` of a JSON-RPC error. */
  readonly members?: Readonly<Record<string, unknown>>
  /** HTTP headers that belong to it. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A request is refused, and asking again gives the same answer. */
export class RequestError extends UserError implements Refusal {
  override readonly code: RefusalCode
  readonly status: number
  readonly members: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(code: RefusalCode, message: string, details: RefusalDetails, options?: ErrorOptions) {
    super(code, message, options)
    this.code = code
    this.status = refusals[code].status
    this.members = details.members ?? {}
    this.headers = details.headers ?? {}
  }
}

/** A request is refused for now. */
export class BusyError extends RetryableError implements Refusal {
  override readonly code: RefusalCode
  readonly status: number
  readonly members: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(code: RefusalCode, message: string, details: RefusalDetails, options?: ErrorOptions) {
    super(code, message, options)
    this.code = code
    this.status = refusals[code].status
    this.members = details.members ?? {}
    this.headers = details.headers ?? {}
  }
}

/** An error that is an answer: what every protocol needs to tell it to a client. */
export interface Refusal extends HeadraceError {
  readonly code: RefusalCode
  readonly status: number
  readonly members: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
}

/** Makes the error that refuses a request with a code. `message` is shown to the client: it holds no secret. */
export function refuse(code: RefusalCode, message: string, details: RefusalDetails = {}, cause?: unknown): Refusal {
  const options = cause === undefined ? undefined : { cause }
  return refusals[code].retry
    ? new BusyError(code, message, details, options)
    : new RequestError(code, message, details, options)
}
