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

/**
 * Makes an error of an answer that is not 200. Reads its body.
 *
 * @throws {UnavailableError} the body was cut short. The signal's reason, once there is one.
 */
export async function responseError(response: Response, signal: AbortSignal): Promise<ClientError> {
  const { status } = response
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'))
  const problem = await readProblem(response, signal)
  if (problem) return refusalError({ ...problem, status, retryAfterMs })
  // Not from a gateway, but from something on the way to it.
  if (status >= 500 || status === 429 || status === 408)
    return new UnavailableError('service_unavailable', `The service answers with status ${status}.`, { retryAfterMs })
  return new RefusedError(
    'unexpected_answer',
    `Status ${status} without a problem document: this is no gateway, or not its address. Check "url".`,
    { status },
  )
}

/** A problem document (RFC 9457); `undefined` where the answer is none. */
async function readProblem(response: Response, signal: AbortSignal): Promise<Refusal | undefined> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json')
  const text = await readText(response, signal)
  if (!isProblem) return undefined
  try {
    const problem = JSON.parse(text) as Refusal
    return typeof problem.code === 'string' ? problem : undefined
  } catch {
    return undefined
  }
}

/** `Retry-After` in ms: seconds or a date (RFC 9110, section 10.2.3). */
export function readRetryAfter(value: string | null, now: number = Date.now()): number | undefined {
  if (value === null) return undefined
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/**
 * Reads an answer to its end.
 *
 * @throws {UnavailableError} it was cut short. The signal's reason, once there is one.
 */
export async function readText(response: Response, signal: AbortSignal): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    signal.throwIfAborted()
    throw new UnavailableError('service_unavailable', 'The answer was cut short.', { cause: error })
  }
}

/** Close codes (RFC 6455, section 7.4) after which coming back is pointless, besides 4400 to 4409. */
const finalCodes = new Set([1002, 1003, 1007, 1009])

const finalReasons: Readonly<Record<number, string>> = { 4401: 'key_revoked', 4403: 'permission_lost' }

/** Makes an error of the end of a socket. */
export function closeError({ code, reason }: { readonly code: number; readonly reason: string }): ClientError {
  const told = reason === '' ? `The connection was closed with code ${code}.` : reason
  if (finalCodes.has(code) || (code >= 4400 && code <= 4409))
    return new RefusedError(finalReasons[code] ?? 'connection_refused', told)
  return new UnavailableError('service_unavailable', told)
}

/** Makes an error of `stream_error`, the end of an event stream. */
export function streamError({ code, detail }: { readonly code: string; readonly detail: string }): ClientError {
  if (Object.values(finalReasons).includes(code)) return new RefusedError(code, detail)
  return new UnavailableError('service_unavailable', detail)
}
