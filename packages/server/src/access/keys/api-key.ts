import type { Environment } from './key-format.ts'

/** Stored as JSON in `_headrace.keys` under `id`, without the key itself. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  /** SHA-256 of the key, hex. */
  readonly hash: string
  readonly environment: Environment
  readonly topics: readonly string[]
  /** Origins of pages. Empty: any. */
  readonly origins: readonly string[]
  readonly requireOrigin: boolean
  readonly rate: number
  readonly burst: number
  /** Open at once. Gateways at one address divide it, `rate` and `burst` among them. */
  readonly connections: number
  readonly created: string
  readonly expires?: string
  readonly revoked?: string
  readonly replacedBy?: string
}

export function encodeApiKey(key: ApiKey): Uint8Array {
  return Buffer.from(JSON.stringify(key))
}

export function decodeApiKey(value: Uint8Array): ApiKey {
  return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8'))
}

export function isUsable(key: Pick<ApiKey, 'revoked' | 'expires'>, now: number): boolean {
  return key.revoked === undefined && (key.expires === undefined || now < Date.parse(key.expires))
}
