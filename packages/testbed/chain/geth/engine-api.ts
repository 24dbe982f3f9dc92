import { createHmac } from 'node:crypto'

/** Calls the Engine API, as a consensus client does. */
export type EngineCall = <T>(method: string, params: readonly unknown[]) => Promise<T>

/** The used fields of a block, `ExecutionPayloadV3`. All are sent back. */
export interface ExecutionPayload {
  readonly blockHash: string
  readonly transactions: readonly string[]
}

/** Result of `engine_getPayloadV4` and later versions. */
export interface BuiltPayload {
  readonly executionPayload: ExecutionPayload
  readonly blobsBundle: { readonly commitments: readonly string[] }
  readonly executionRequests: readonly string[]
}

export function createEngineCall(engine: { readonly url: string; readonly secret: Buffer }): EngineCall {
  return async (method, params) => {
    const response = await fetch(engine.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token(engine.secret)}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await response.json()) as { result: never; error?: { message: string } }
    if (error) throw new Error(`${method} failed: ${error.message}`)
    return result
  }
}

/** A JSON Web Token (RFC 7519) with only the time of issue. */
function token(secret: Buffer): string {
  const parts = [{ typ: 'JWT', alg: 'HS256' }, { iat: Math.floor(Date.now() / 1000) }]
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
