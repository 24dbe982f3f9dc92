import { fetchHeader, fetchHeaderOfEach } from '../block/fetch-block.ts'
import type { RpcHeader } from '../block/rpc-block.ts'
import { toNumber } from '../quantity/quantity.ts'
import type { Rpc } from '../rpc/rpc.ts'

export interface Head {
  readonly number: number
  readonly hash: string
}

export async function fetchHead(rpc: Rpc, signal: AbortSignal): Promise<Head> {
  return toHead(await fetchHeader(rpc, 'latest', signal))
}

/** In the order of the endpoints. `undefined`: no answer. */
export async function fetchHeadOfEach(rpc: Rpc, signal: AbortSignal): Promise<ReadonlyMap<string, Head | undefined>> {
  const headers = await fetchHeaderOfEach(rpc, 'latest', signal)
  return new Map([...headers].map(([endpoint, header]) => [endpoint, header ? toHead(header) : undefined]))
}

function toHead({ number, hash }: RpcHeader): Head {
  return { number: toNumber(number), hash }
}
