import { type Hex, toNumber } from '../quantity/quantity.ts'
import type { Rpc } from '../rpc/rpc.ts'

/** Number of the newest block that the node has. It may go back: nodes behind one load balancer differ. */
export function fetchHeadNumber(rpc: Rpc, signal: AbortSignal): Promise<number> {
  return fetchNumber(rpc, 'eth_blockNumber', signal)
}

/** The chain's id (EIP-155). */
export function fetchChainId(rpc: Rpc, signal: AbortSignal): Promise<number> {
  return fetchNumber(rpc, 'eth_chainId', signal)
}

function fetchNumber(rpc: Rpc, method: string, signal: AbortSignal): Promise<number> {
  return rpc.call({ method, params: [], read: (answer) => toNumber(answer as Hex), signal })
}
