import { type ClientError, RefusedError, UnavailableError } from '../errors.ts'
import { readText } from './read-text.ts'
import { type Refusal, refusalError } from './refusal.ts'

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
