import { addAbortListener } from 'node:events'
import { type Dispatcher, Pool } from 'undici'

export interface HttpAnswer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export interface HttpPost {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly signal?: AbortSignal
}

/** Concurrent requests are allowed. */
export interface HttpConnection {
  /** Rejects with an error of undici, or with the reason of an abort. */
  post(request: HttpPost): Promise<HttpAnswer>
  /** Aborts pending requests and closes the connections. */
  close(): Promise<void>
}

export interface ConnectOptions {
  /** Limit until an answer begins, and between two parts of it, in ms. */
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** `origin`: scheme, host and port. */
export type ConnectHttp = (origin: string, options: ConnectOptions) => HttpConnection

const connectTimeoutMs = 10_000

export function connectPool(origin: string, { timeoutMs, maxBytes }: ConnectOptions): HttpConnection {
  const pool = new Pool(origin, {
    connections: null,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxBytes,
  })
  return {
    post: ({ signal, ...request }) =>
      new Promise((resolve, reject) => {
        pool.dispatch({ method: 'POST', ...request }, createCollector({ signal, resolve, reject }))
      }),
    close: () => pool.destroy(),
  }
}

interface Collected {
  readonly signal: AbortSignal | undefined
  resolve(answer: HttpAnswer): void
  reject(error: unknown): void
}

/** Collects a body without the streams of `request`, which cost as much as reading it from the socket. */
function createCollector({ signal, resolve, reject }: Collected): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = []
  let start: Omit<HttpAnswer, 'body'>
  let listener: Disposable | undefined
  return {
    onRequestStart(controller) {
      if (signal) listener = addAbortListener(signal, () => controller.abort(signal.reason))
    },
    onResponseStart(_, status, headers) {
      start = { status, headers }
    },
    onResponseData(_, chunk) {
      chunks.push(chunk)
    },
    onResponseEnd() {
      listener?.[Symbol.dispose]()
      resolve({ ...start, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) })
    },
    onResponseError(_, error) {
      listener?.[Symbol.dispose]()
      reject(error)
    },
  }
}
