import { errorReason } from '@headrace/queue'

export interface Answer {
  /** `undefined`: none came in time, or the connection failed. */
  readonly status: number | undefined
  /** For a message. */
  readonly reason: string
  /** From `Retry-After`. */
  readonly retryAfterMs?: number | undefined
}

export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
}

/** Bytes of a body that are read, so that the connection can be used again. */
const longestAnswer = 64 * 1024
/** Characters of a body in a message. */
const quoted = 200

/** Sends one request. A connection is kept for the next ones. Redirects are not followed. Does not throw. */
export async function post({ url, headers, body, timeoutMs }: Post): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs)
  let response: Response
  try {
    response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
  } catch (error) {
    const reason = signal.aborted ? `no answer within ${timeoutMs} ms` : errorReason(error)
    return { status: undefined, reason }
  }
  const { status } = response
  const text = await readText(response)
  const location = response.headers.get('location')
  const reason = [
    `status ${status}`,
    location && `to ${JSON.stringify(location.slice(0, quoted))}`,
    text && JSON.stringify(text.slice(0, quoted)),
  ]
  return {
    status,
    reason: reason.filter(Boolean).join(' '),
    retryAfterMs: retryAfter(response.headers.get('retry-after')),
  }
}

/** The status is the answer: a body that is cut, late or too large does not matter. */
async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk)
      length += chunk.length
      if (length > longestAnswer) break
    }
  } catch {}
  return Buffer.concat(chunks).toString()
}

/** RFC 9110, 10.2.3: seconds or a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
