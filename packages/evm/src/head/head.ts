import { fetchHeader, fetchHeaderOfEach } from '../block/fetch-block.ts'
import type { RpcHeader } from '../block/rpc-block.ts'
import { toNumber } from '../quantity/quantity.ts'
import type { Rpc } from '../rpc/rpc.ts'

export interface BlockId {
  readonly number: number
  readonly hash: string
}

export async function fetchHead(rpc: Rpc, signal: AbortSignal): Promise<BlockId> {
  return toBlockId(await fetchHeader(rpc, 'latest', signal))
}

/** In the order of the endpoints. `undefined`: no answer. */
export async function fetchHeadOfEach(
  rpc: Rpc,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BlockId | undefined>> {
  const headers = await fetchHeaderOfEach(rpc, 'latest', signal)
  return new Map([...headers].map(([endpoint, header]) => [endpoint, header ? toBlockId(header) : undefined]))
}

export function toBlockId({ number, hash }: RpcHeader): BlockId {
  return { number: toNumber(number), hash }
}
