import type { Pool } from 'undici'

/** The answer of a node for a block with its transactions, as JSON. */
export async function fetchText(pool: Pool, number: number): Promise<string> {
  const params = [`0x${number.toString(16)}`, true]
  const request = JSON.stringify({ jsonrpc: '2.0', id: number, method: 'eth_getBlockByNumber', params })
  const headers = { 'content-type': 'application/json' }
  const { body } = await pool.request({ method: 'POST', path: '/', headers, body: request })
  return body.text()
}
