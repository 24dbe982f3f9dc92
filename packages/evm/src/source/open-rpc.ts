import type { Log } from '../log.ts'
import { createRpc, type Rpc } from '../rpc/rpc.ts'
import type { EvmSettings } from './settings.ts'

/**
 * Makes what calls the nodes that settings name.
 *
 * @param publishedChainId Id of the chain that was published before.
 * @throws {InvalidRpcUrlError}
 */
export function openRpc(
  { rpc: urls, timeout }: Pick<EvmSettings, 'rpc' | 'timeout'>,
  publishedChainId: number | undefined,
  log: Log,
): Rpc {
  const timeoutMs = timeout === undefined ? undefined : Math.ceil(timeout * 1000)
  return createRpc({ urls: typeof urls === 'string' ? [urls] : urls, publishedChainId, timeoutMs, log })
}
