import { Pool } from 'undici'

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
    async post(request) {
      const { statusCode, headers, body } = await pool.request({ method: 'POST', ...request })
      return { status: statusCode, headers, body: Buffer.from(await body.arrayBuffer()) }
    },
    close: () => pool.destroy(),
  }
}
