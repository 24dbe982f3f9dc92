import { setTimeout as sleep } from 'node:timers/promises'
import { errorReason } from '@headrace/queue'
import type { RegistryAddress } from './registry-address.ts'
import { invalidAnswer, registryRefused, registryUnavailable } from './registry-error.ts'

export interface RegistryRequestOptions {
  /** Of one attempt, in ms. By default 10,000. */
  readonly timeoutMs?: number
  /** If the registry fails or cannot be reached. From 1; by default 4, with up to 0.25, 0.5 and 1 s between them. */
  readonly attempts?: number
  /** Limit of an answer, in bytes. By default 4 MiB. */
  readonly answerBytes?: number
  readonly signal?: AbortSignal | undefined
}

export interface RegistryAnswer {
  /** 2xx, 404, 409 or 422. */
  readonly status: number
  readonly body: unknown
  /** Of the registry, such as 40403, and its message. Absent if the status is 2xx, and only then. */
  readonly error?: { readonly code: number; readonly message: string }
}

export type RegistryRequest = (path: string, body?: object) => Promise<RegistryAnswer>

const accepted =
  'application/vnd.schemaregistry.v1+json, application/vnd.schemaregistry+json;q=0.9, application/json;q=0.5'
const contentType = 'application/vnd.schemaregistry.v1+json'

/**
 * `GET`, or `POST` with a body. Registering a schema twice is the same as once, so each request may be repeated.
 *
 * @throws {RetryableError} `schema_registry_unavailable`
 * @throws {UserError} `schema_registry_refused`, `invalid_schema_registry_answer`
 */
export function createRegistryRequest(
  { url, authorization }: RegistryAddress,
  { timeoutMs = 10_000, attempts = 4, answerBytes = 4 << 20, signal }: RegistryRequestOptions,
): RegistryRequest {
  return async (path, body) => {
    for (let attempt = 1; ; attempt++) {
      const outcome = await send(path, body)
      if (!('retry' in outcome)) return outcome
      if (attempt >= attempts) throw outcome.retry
      await sleep(Math.random() * 250 * 2 ** (attempt - 1), undefined, { signal })
    }
  }

  async function send(path: string, body: object | undefined): Promise<RegistryAnswer | { readonly retry: Error }> {
    const deadline = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(`${url}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: {
          accept: accepted,
          ...(body && { 'content-type': contentType }),
          ...(authorization !== undefined && { authorization }),
        },
        body: body ? JSON.stringify(body) : null,
        // Credentials are sent to no other address.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      })
      const text = await readText(response, answerBytes)
      if (response.status === 429 || response.status >= 500)
        return { retry: registryUnavailable(url, `it answered with status ${response.status}${messageIn(text)}`) }
      return checkAnswer(path, response, text)
    } catch (cause) {
      signal?.throwIfAborted()
      if (!isNetworkError(cause)) throw cause
      const reason = deadline.aborted ? `no answer within ${timeoutMs / 1000} s` : errorReason(cause)
      return { retry: registryUnavailable(url, reason, cause) }
    }
  }

  function checkAnswer(path: string, { status, headers }: Response, text: string | undefined): RegistryAnswer {
    if (text === undefined) throw invalidAnswer(url, path, `it has more than ${answerBytes} bytes`)
    if (status === 401 || status === 403)
      throw registryRefused(
        url,
        `${authorization === undefined ? 'it requires credentials' : 'the credentials are not accepted'} ` +
          `(status ${status}${messageIn(text)}). Give it a user and a password, or a token, that may read schemas.`,
      )
    if (status >= 300 && status < 400)
      throw invalidAnswer(url, path, `it redirects to ${excerpt(headers.get('location') ?? 'nowhere')}`)
    const body = parseJson(text)
    if (body === undefined) throw invalidAnswer(url, path, `status ${status}, and no JSON: ${excerpt(text)}`)
    if (status < 300) return { status, body }
    const error = errorOf(body)
    if (error && [404, 409, 422].includes(status)) return { status, body, error }
    throw invalidAnswer(url, path, `status ${status}: ${excerpt(text)}`)
  }
}

/** Those of `fetch` and of reading its body. */
function isNetworkError(error: unknown): boolean {
  return (
    (error instanceof TypeError && error.cause !== undefined) ||
    (error instanceof DOMException && /^(TimeoutError|AbortError)$/.test(error.name))
  )
}

/** `undefined` if it is longer. */
async function readText({ body }: Response, limit: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop closes the connection.
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > limit) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function messageIn(text: string | undefined): string {
  const error = errorOf(parseJson(text ?? ''))
  return error ? `: ${error.message}` : ''
}

function errorOf(body: unknown): RegistryAnswer['error'] {
  const { error_code: code, message } = (body ?? {}) as Readonly<Record<string, unknown>>
  return typeof code === 'number' && typeof message === 'string' ? { code, message: excerpt(message) } : undefined
}

/** One line, for a message. */
export function excerpt(text: string): string {
  const line = text.toWellFormed().replaceAll(/[\s\p{Cc}]+/gu, ' ')
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`
}
