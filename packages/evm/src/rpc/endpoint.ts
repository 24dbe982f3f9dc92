import { Pool } from 'undici'
import { RpcError, RpcRateLimitedError, RpcRefusedError, RpcUnavailableError } from '../errors.ts'
import { type EndpointUrl, parseEndpointUrl } from './endpoint-url.ts'
import { parseRetryAfter } from './retry-after.ts'

/** A node's JSON-RPC endpoint over HTTP. */
export interface Endpoint {
  /** Scheme, host and port. Never a key. */
  readonly name: string
  /**
   * Sends one call and resolves to its result. Tries once.
   *
   * @throws {RpcUnavailableError} no connection, no answer in time, a server error, or no JSON-RPC answer.
   * @throws {RpcRateLimitedError}
   * @throws {RpcRefusedError}
   * @throws {RpcError} the call was answered with an error.
   */
  send(call: { method: string; params: readonly unknown[]; signal: AbortSignal }): Promise<unknown>
  /** Ends what is under way and closes the connections. */
  close(): Promise<void>
}

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

const connections = 16
const connectTimeoutMs = 10_000
const answerTimeoutMs = 30_000
const largestAnswerBytes = 256 * 1024 * 1024

/** @param place Place of the URL in the setting, from 1. */
export function createEndpoint(text: string, place: number): Endpoint {
  const url = parseEndpointUrl(text, place)
  const pool = new Pool(url.name, {
    connections,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
    maxResponseSize: largestAnswerBytes,
  })
  const headers = {
    'content-type': 'application/json',
    ...(url.authorization === undefined ? {} : { authorization: url.authorization }),
  }
  let lastId = 0

  return {
    name: url.name,
    async send({ method, params, signal }) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params })
      const response = await request(pool, { path: url.path, headers, body, signal }, url)
      const answer = parseAnswer(response.text)
      if (response.status === 429) {
        throw new RpcRateLimitedError(url.name, parseRetryAfter(response.retryAfter, Date.now()))
      }
      if (response.status >= 500 || response.status === 408) {
        throw new RpcUnavailableError(url.name, `HTTP status ${response.status}`)
      }
      if (answer?.error) {
        const { code, message } = answer.error
        throw new RpcError(url.name, method, { code, message: url.redact(String(message)) })
      }
      if (response.status !== 200) throw new RpcRefusedError(url.name, response.status)
      if (answer?.result === undefined) throw new RpcUnavailableError(url.name, 'what it sent is no JSON-RPC answer')
      return answer.result
    },
    close: () => pool.destroy(),
  }
}

interface HttpRequest {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly signal: AbortSignal
}

interface HttpResponse {
  readonly status: number
  readonly retryAfter: string | string[] | undefined
  readonly text: string
}

async function request(pool: Pool, request: HttpRequest, url: EndpointUrl): Promise<HttpResponse> {
  try {
    const { statusCode, headers, body } = await pool.request({ method: 'POST', ...request })
    return { status: statusCode, retryAfter: headers['retry-after'], text: await body.text() }
  } catch (error) {
    request.signal.throwIfAborted()
    throw new RpcUnavailableError(url.name, url.redact(reason(error)))
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

function parseAnswer(text: string): Answer | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null ? answer : undefined
  } catch {
    return undefined
  }
}
