import { createRpc, type Rpc, type RpcOptions } from '../rpc/rpc.ts'
import type { EvmSettings } from './settings.ts'

/**
 * Opens the nodes in the settings.
 *
 * @throws {InvalidRpcUrlError}
 */
export function openRpc(
  { rpc: urls, timeout }: Pick<EvmSettings, 'rpc' | 'timeout'>,
  options: Pick<RpcOptions, 'publishedChainId' | 'connect' | 'log'>,
): Rpc {
  const timeoutMs = timeout === undefined ? undefined : Math.ceil(timeout * 1000)
  return createRpc({ ...options, urls: typeof urls === 'string' ? [urls] : urls, timeoutMs })
}
