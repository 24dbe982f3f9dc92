import type { Dispatcher, Pool } from 'undici'

/** Concurrent requests of undici. More are no faster. */
export const connections = 16

/** Sends a call of JSON-RPC, and returns the body of the answer. */
export async function askNode(pool: Pool, method: string, params: readonly unknown[]): Promise<Body> {
  const headers = { 'content-type': 'application/json' }
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const { body } = await pool.request({ method: 'POST', path: '/', headers, body: request })
  return body
}

type Body = Dispatcher.ResponseData['body']
