/** One call of a JSON-RPC 2.0 batch. */
export interface Call {
  readonly method: string
  readonly params: readonly unknown[]
}

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Sends one call and returns its result. */
export async function call<T>(rpc: string, method: string, params: readonly unknown[] = []): Promise<T> {
  const [result] = await callAll(rpc, [{ method, params }])
  return result as T
}

/**
 * Sends calls as one batch and returns their results in order. A node may execute them in any order.
 *
 * @throws {Error} A call failed; the message names it.
 */
export async function callAll(rpc: string, calls: readonly Call[]): Promise<unknown[]> {
  if (calls.length === 0) return []
  const response = await fetch(rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map((each, id) => ({ jsonrpc: '2.0', id, ...each }))),
  })
  const answers = (await response.json()) as Answer[]
  const results = new Array<unknown>(calls.length)
  for (const { id, result, error } of answers) {
    if (error) throw new Error(`${calls[id]?.method} failed: ${error.message} (${error.code})`)
    results[id] = result
  }
  return results
}

/** A number as JSON-RPC encodes quantities. */
export function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`
}
