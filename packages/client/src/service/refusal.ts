import { type ClientError, PositionUnavailableError, RefusedError, UnavailableError } from '../errors.ts'

/** Why the service refuses, as problem documents and JSON-RPC errors tell it alike. */
export interface Refusal {
  readonly code: string
  readonly detail: string
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly topic?: string | undefined
  readonly earliest?: string | undefined
  readonly reason?: PositionUnavailableError['reason'] | undefined
}

/** Codes after which the same request may succeed. */
const passing = new Set([
  'rate_limited',
  'connection_limit',
  'overloaded',
  'draining',
  'internal',
  'position_unavailable',
])

export function refusalError(refusal: Refusal): ClientError {
  const { code, detail, status, requestId, retryAfterMs, topic, earliest, reason } = refusal
  // Where records went away while they were read, the service does not say what is left: asked again, it does.
  if (code === 'position_unavailable' && earliest !== undefined)
    return new PositionUnavailableError(detail, { earliest, ...defined({ topic, reason }) })
  // Without a key the rate is 0: no time to wait is named, because waiting never helps.
  const hopeless = code === 'rate_limited' && retryAfterMs === undefined
  if (passing.has(code) && !hopeless) return new UnavailableError(code, detail, { retryAfterMs })
  return new RefusedError(code, detail, defined({ status, requestId }))
}

/** The members that have a value. */
function defined<Members extends object>(members: Members): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never
}
