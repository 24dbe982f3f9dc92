import type { Environment } from './key-format.ts'

/** An API key, stored as JSON in `_headrace.keys` under `id`. The key itself is not stored. */
export interface ApiKey {
  /** Identifies the key in logs and commands. Not a secret. */
  readonly id: string
  readonly name: string
  /** SHA-256 of the key, hex. */
  readonly hash: string
  readonly environment: Environment
  /** Patterns of the topics it may read; see `matchesTopic`. */
  readonly topics: readonly string[]
  /** Origins of pages that may use it. Empty: any. */
  readonly origins: readonly string[]
  readonly requireOrigin: boolean
  readonly rate: number
  readonly burst: number
  /** WebSocket and SSE connections at once. Gateways at one address divide it, `rate` and `burst` among them. */
  readonly connections: number
  /** RFC 3339. */
  readonly created: string
  readonly expires?: string
  readonly revoked?: string
  /** Id of the new key, if it was rotated. */
  readonly replacedBy?: string
}

export function encodeApiKey(key: ApiKey): Uint8Array {
  return Buffer.from(JSON.stringify(key))
}

/** @throws {SyntaxError} the value is not JSON. */
export function decodeApiKey(value: Uint8Array): ApiKey {
  return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8'))
}

/** `now` is in ms since the Unix epoch. */
export function isUsable(key: Pick<ApiKey, 'revoked' | 'expires'>, now: number): boolean {
  return key.revoked === undefined && (key.expires === undefined || now < Date.parse(key.expires))
}
