import { fetchHeader, fetchHeaderOfEach } from '../block/fetch-block.ts'
import type { RpcHeader } from '../block/rpc-block.ts'
import { toNumber } from '../quantity/quantity.ts'
import { readChainId } from '../rpc/chain-id.ts'
import type { Rpc } from '../rpc/rpc.ts'

/** The newest block that a node has. Its number may go back: nodes behind one load balancer differ. */
export interface Head {
  readonly number: number
  readonly hash: string
}

export async function fetchHead(rpc: Rpc, signal: AbortSignal): Promise<Head> {
  return toHead(await fetchHeader(rpc, 'latest', signal))
}

/** The heads that all endpoints tell of at this moment, in their order. `undefined`: it did not answer. */
export async function fetchHeadOfEach(rpc: Rpc, signal: AbortSignal): Promise<ReadonlyMap<string, Head | undefined>> {
  const headers = await fetchHeaderOfEach(rpc, 'latest', signal)
  return new Map([...headers].map(([endpoint, header]) => [endpoint, header ? toHead(header) : undefined]))
}

/** The chain's id (EIP-155). */
export function fetchChainId(rpc: Rpc, signal: AbortSignal): Promise<number> {
  return rpc.call({ method: 'eth_chainId', params: [], read: readChainId, signal })
}

function toHead({ number, hash }: RpcHeader): Head {
  return { number: toNumber(number), hash }
}
