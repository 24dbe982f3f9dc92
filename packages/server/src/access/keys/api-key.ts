import type { Environment } from './key-format.ts'

/** Stored as JSON in `_headrace.keys` under `id`, without the key itself. */
export interface ApiKey {
  readonly id: string
  /** 1–100 printable characters on one line. */
  readonly name: string
  /** SHA-256 of the key, hex. */
  readonly hash: string
  /** Of its tokens: Ed25519, base64url. Keys that were created before tokens existed have none. */
  readonly publicKey?: string
  readonly environment: Environment
  /** Topic names in which `*` matches any characters. Default `['*']`. */
  readonly topics: readonly string[]
  /** Origins of pages that may use the key: `https://…`, in development also `http://localhost:…`. Default: any. */
  readonly origins: readonly string[]
  /** Refuses requests without an `Origin` header. Default false. */
  readonly requireOrigin: boolean
  /** Requests per second, 1–1,000,000. Absent: the default of the gateway. */
  readonly rate?: number
  /** Requests at once, 1–1,000,000. Absent: the default of the gateway. */
  readonly burst?: number
  /** WebSocket and SSE connections at once, 1–1,000,000. Default 100. */
  readonly connections: number
  /** Absent: none. */
  readonly quota?: Quota
  /** Whom to ask about the key, 1–200 printable characters on one line: a name, a URL, an e-mail address. */
  readonly contact?: string
  readonly created: string
  readonly expires?: string
  readonly revoked?: string
  readonly replacedBy?: string
}

/** What a key may use in a calendar month of UTC, 1–1,000,000,000,000,000 each. An absent member is not limited. */
export interface Quota {
  /** REST requests, opened streams and WebSocket calls. */
  readonly requests?: number
  /** Records sent, counted once for each connection. */
  readonly records?: number
  /** Bytes sent, with HTTP headers and WebSocket frames, without TLS. */
  readonly bytes?: number
}

export const quotaNames: readonly (keyof Quota)[] = ['requests', 'records', 'bytes']

export function decodeApiKey(value: Uint8Array): ApiKey {
  return JSON.parse(Buffer.from(value).toString())
}

export function isUsable(key: Pick<ApiKey, 'revoked' | 'expires'>, now: number): boolean {
  return key.revoked === undefined && (key.expires === undefined || now < Date.parse(key.expires))
}
