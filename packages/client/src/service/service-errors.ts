import { type ClientError, PositionUnavailableError, RefusedError, UnavailableError } from '../errors.ts'

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

const temporary = new Set([
  'rate_limited',
  'connection_limit',
  'overloaded',
  'draining',
  'internal',
  'position_unavailable',
])

export function refusalError(refusal: Refusal): ClientError {
  const { code, detail, retryAfterMs, earliest } = refusal
  // Without `earliest`, records were removed while they were read. The answer to a retry has it.
  if (code === 'position_unavailable' && earliest !== undefined)
    return new PositionUnavailableError(detail, { ...refusal, earliest })
  // Without a key the rate is 0, and waiting does not help.
  const isFinal = code === 'rate_limited' && retryAfterMs === undefined
  if (temporary.has(code) && !isFinal) return new UnavailableError(code, detail, { retryAfterMs })
  return new RefusedError(code, detail, refusal)
}

/** @throws {UnavailableError} the body was interrupted. The reason of the signal, if it is aborted. */
export async function responseError(response: Response, signal: AbortSignal): Promise<ClientError> {
  const { status } = response
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'))
  const problem = await readProblem(response, signal)
  if (problem) return refusalError({ ...problem, status, retryAfterMs })
  // From a proxy in front of the gateway.
  if (status >= 500 || status === 429 || status === 408)
    return new UnavailableError(
      'service_unavailable',
      `The gateway, or a proxy in front of it, answered with status ${status}.`,
      { retryAfterMs },
    )
  return new RefusedError(
    'unexpected_answer',
    `Status ${status} without a problem document, so it did not come from a gateway. Check "url".`,
    { status },
  )
}

/** RFC 9457. `undefined` if the response has none. */
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

/** @throws {UnavailableError} the body was interrupted. The reason of the signal, if it is aborted. */
export async function readText(response: Response, signal: AbortSignal): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    signal.throwIfAborted()
    throw new UnavailableError('service_unavailable', 'The response was interrupted.', { cause: error })
  }
}

/** RFC 6455, section 7.4. 4400 to 4409 are final too. */
const finalCodes = new Set([1002, 1003, 1007, 1009])

const finalReasons: Readonly<Record<number, string>> = {
  4401: 'key_revoked',
  4402: 'quota_exceeded',
  4403: 'permission_lost',
}

const finalErrors: readonly string[] = [...Object.values(finalReasons), 'token_expired']

export function closeError({ code, reason }: { readonly code: number; readonly reason: string }): ClientError {
  const message = reason === '' ? `The connection was closed with code ${code}.` : reason
  if (finalCodes.has(code) || (code >= 4400 && code <= 4409))
    return new RefusedError(finalReasons[code] ?? 'connection_refused', message)
  return new UnavailableError('service_unavailable', message)
}

export function streamError({ code, detail }: { readonly code: string; readonly detail: string }): ClientError {
  if (finalErrors.includes(code)) return new RefusedError(code, detail)
  return new UnavailableError('service_unavailable', detail)
}
