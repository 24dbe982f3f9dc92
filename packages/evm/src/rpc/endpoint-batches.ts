import type { CallResult, MethodCall, RpcEndpoint } from './endpoint.ts'
import { overloadOf } from './judge-failure.ts'

export interface BatchResults {
  /** In the order of the calls. */
  readonly results: readonly unknown[]
  /** Characters of the answers. */
  readonly length: number
}

/**
 * Sends calls in batches (JSON-RPC 2.0, section 6), which are split if they are refused.
 *
 * @param check Called with the results of each batch. No more are sent if it throws.
 */
export type EndpointBatches = (
  calls: readonly MethodCall[],
  signal: AbortSignal,
  check?: (results: readonly unknown[]) => void,
) => Promise<BatchResults>

/** Providers count each call, and many limit batches to this. */
export const mostCalls = 100

export function createEndpointBatches(endpoint: RpcEndpoint): EndpointBatches {
  let batchCalls = mostCalls
  return async (calls, signal, check) => {
    const results: unknown[] = []
    let length = 0
    while (results.length < calls.length) {
      const batch = calls.slice(results.length, results.length + batchCalls)
      const sent = await send(batch, signal)
      if (!sent) continue
      const answered = batch.length === 1 ? [sent.result] : (sent.result as readonly unknown[])
      check?.(answered)
      results.push(...answered)
      length += sent.length
    }
    return { results, length }
  }

  /** `undefined`: refused as too large. */
  async function send(batch: readonly MethodCall[], signal: AbortSignal): Promise<CallResult | undefined> {
    try {
      // Servers without batches do not accept a batch of one call either.
      const sent = await endpoint.send(batch.length === 1 ? batch[0]! : batch, signal)
      if (batch.length >= batchCalls) batchCalls = Math.min(mostCalls, batchCalls + 1)
      return sent
    } catch (error) {
      const overload = overloadOf(error)
      if (overload) batchCalls = Math.max(1, Math.min(batchCalls, batch.length) >> 1)
      if (overload !== 'too_large' || batch.length === 1) throw error
      return undefined
    }
  }
}
