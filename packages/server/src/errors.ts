import { HeadraceError } from '@headrace/queue'

/** Why a request is refused: the stable code, and the HTTP status that goes with it. */
const refusals = {
  path_not_found: 404,
  method_not_allowed: 405,
  uri_too_long: 414,
  headers_too_large: 431,
  malformed_request: 400,
  multiple_credentials: 400,
  malformed_authorization: 401,
  invalid_key: 401,
  wrong_environment: 401,
  missing_key: 401,
  origin_not_allowed: 403,
  rate_limited: 429,
  connection_limit: 429,
  topic_forbidden: 403,
  invalid_parameter: 400,
  invalid_cursor: 400,
  too_many_subscriptions: 400,
  topic_not_found: 404,
  position_unavailable: 410,
  upgrade_required: 426,
  internal: 500,
  overloaded: 503,
  draining: 503,
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
  /** What went wrong. For the log: it is not told to the client. */
  readonly cause?: unknown
}

/** A request is refused. It is an answer to a client, in whatever protocol; its message is shown and holds no secret. */
export class RefusedError extends HeadraceError {
  override readonly code: RefusalCode
  readonly status: number
  readonly members: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(code: RefusalCode, message: string, { members = {}, headers = {}, cause }: RefusalDetails = {}) {
    super(code, message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = refusals[code]
    this.members = members
    this.headers = headers
  }
}
