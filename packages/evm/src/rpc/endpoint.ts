import { errorReason, parseRetryAfter } from '@headrace/sdk'
import { errors } from 'undici'
import { RpcError, RpcOverloadedError, RpcRefusedError, RpcUnavailableError } from '../errors.ts'
import { type EndpointUrl, parseEndpointUrl } from './endpoint-url.ts'
import { findResult } from './find-result.ts'
import { type ConnectHttp, connectPool, type HttpAnswer, type HttpPost } from './http-connection.ts'

export interface MethodCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Of a batch: the results in the order of the calls. */
export interface CallResult {
  readonly result: unknown
  /** Bytes of the answer. */
  readonly length: number
}

export interface RpcEndpoint {
  /** Never a key. */
  readonly name: string
  /** A batch (JSON-RPC 2.0, section 6) fails if one of its calls fails. */
  send(calls: MethodCall | readonly MethodCall[], signal?: AbortSignal): Promise<CallResult>
  /** The result as JSON, which is not parsed: it may be malformed. */
  sendForJson(call: MethodCall, signal?: AbortSignal): Promise<Buffer>
  close(): Promise<void>
}

interface Answer {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

const largestAnswerBytes = 256 * 1024 * 1024

export interface RpcEndpointOptions {
  readonly place: number
  readonly timeoutMs: number
  readonly connect?: ConnectHttp | undefined
}

export function createRpcEndpoint(
  text: string,
  { place, timeoutMs, connect = connectPool }: RpcEndpointOptions,
): RpcEndpoint {
  const url = parseEndpointUrl(text, place)
  const connection = connect(url.name, { timeoutMs, maxBytes: largestAnswerBytes })
  const headers = { 'content-type': 'application/json', ...(url.authorization && { authorization: url.authorization }) }
  let lastId = 0

  async function post(request: HttpPost): Promise<HttpAnswer> {
    try {
      return await connection.post(request)
    } catch (error) {
      request.signal?.throwIfAborted()
      if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
        throw new RpcOverloadedError(url.name, 'too_slow', `did not answer within ${timeoutMs / 1000} s`)
      if (error instanceof errors.ResponseExceededMaxSizeError)
        throw new RpcOverloadedError(url.name, 'too_large', `sent more than ${largestAnswerBytes >> 20} MiB`)
      throw new RpcUnavailableError(url.name, url.redact(errorReason(error)))
    }
  }

  /** Repeated at once: behind a load balancer another server often answers. */
  async function request(body: string, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    const sent = { path: url.path, headers, body, ...(signal && { signal }) }
    const first = await post(sent)
    return isUnexplainedFailure(first) ? post(sent) : first
  }

  function requestOf({ method, params }: MethodCall) {
    return { jsonrpc: '2.0', id: ++lastId, method, params }
  }

  function resultIn(response: HttpAnswer, { method }: MethodCall): unknown {
    const answer = parseJson(response.body)
    throwForStatus(response, answer, url.name, 1)
    return resultOf(answer, method, url)
  }

  return {
    name: url.name,
    async send(calls, signal) {
      if ('method' in calls) {
        const response = await request(JSON.stringify(requestOf(calls)), signal)
        return { result: resultIn(response, calls), length: response.body.length }
      }
      const requests = calls.map(requestOf)
      const response = await request(JSON.stringify(requests), signal)
      const answer = parseJson(response.body)
      throwForStatus(response, answer, url.name, calls.length)
      if (hasError(answer)) throw toError(answer, url, calls[0]!.method, calls.length)
      const answers = inOrder(answer, requests)
      if (!answers) throw new RpcUnavailableError(url.name, 'it sent something else than an answer to a batch')
      const result = answers.map((each, index) => resultOf(each, calls[index]!.method, url))
      return { result, length: response.body.length }
    },
    async sendForJson(call, signal) {
      const response = await request(JSON.stringify(requestOf(call)), signal)
      const isSuccess = response.status >= 200 && response.status < 300
      const json = isSuccess ? findResult(response.body) : undefined
      return json ?? Buffer.from(JSON.stringify(resultIn(response, call)))
    },
    close: () => connection.close(),
  }
}

function isUnexplainedFailure({ status, headers, body }: HttpAnswer): boolean {
  return status >= 500 && headers['retry-after'] === undefined && !hasError(parseJson(body))
}

/** 402: the provider's plan is used up. */
const refusedAlways = new Set([401, 402, 403, 407])
const refusedWithoutError = new Set([404, 405, 410, 451])

/** A JSON-RPC error in the body takes precedence, except over statuses that ask to wait or refuse this client. */
function throwForStatus({ status, headers }: HttpAnswer, answer: unknown, name: string, calls: number): void {
  if (status >= 200 && status < 300) return
  const retryAfter = headers['retry-after']
  const retryAfterMs = parseRetryAfter(retryAfter, Date.now())
  if (status === 429) throw new RpcOverloadedError(name, 'too_many', 'is rate limiting this client', retryAfterMs)
  if (status === 413) throw new RpcOverloadedError(name, 'too_large', 'rejects the request or its answer as too large')
  if (status === 503 && retryAfter !== undefined)
    throw new RpcOverloadedError(name, 'too_many', 'asks to try again later', retryAfterMs)
  if (refusedAlways.has(status)) throw new RpcRefusedError(name, status)
  if (hasError(answer) || (Array.isArray(answer) && answer.some(hasError))) return
  if (status >= 500 || status === 408) throw new RpcUnavailableError(name, `HTTP status ${status}`)
  if (status < 400 || refusedWithoutError.has(status)) throw new RpcRefusedError(name, status)
  if (calls > 1)
    throw new RpcOverloadedError(name, 'too_large', `refuses a batch of ${calls} calls, HTTP status ${status}`)
  throw new RpcUnavailableError(name, `HTTP status ${status}`)
}

function inOrder(answer: unknown, requests: readonly { readonly id: number }[]): Answer[] | undefined {
  if (!Array.isArray(answer)) return undefined
  const byId = new Map(answer.filter(isAnswer).map((each) => [each.id, each]))
  const found = requests.map(({ id }) => byId.get(id))
  return found.every((each) => each !== undefined) ? found : undefined
}

function resultOf(answer: unknown, method: string, url: EndpointUrl): unknown {
  if (hasError(answer)) throw toError(answer, url, method, 1)
  if (!isAnswer(answer) || answer.result === undefined)
    throw new RpcUnavailableError(url.name, 'it sent something else than a JSON-RPC answer')
  return answer.result
}

/** Some servers send a string where the specification requires an object. */
function toError({ error }: Answer, url: EndpointUrl, method: string, calls: number): RpcError {
  const { code, message, data } = (typeof error === 'object' ? error : {}) as Partial<Record<string, unknown>>
  // Some providers have the reason in `data`.
  const details = data === undefined || data === null ? '' : ` (${JSON.stringify(data)})`
  const text =
    typeof message === 'string' ? `${message}${details}` : typeof error === 'string' ? error : JSON.stringify(error)
  const failure = { message: url.redact(text).slice(0, longestMessage), calls }
  return new RpcError(url.name, method, { ...failure, code: typeof code === 'number' ? code : undefined })
}

const longestMessage = 1000

function hasError(answer: unknown): answer is Answer {
  return isAnswer(answer) && answer.error !== undefined && answer.error !== null
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
