import type { Rpc } from '../rpc/rpc.ts'
import { type BlockName, checkBlock, checkHeader } from './check-block.ts'
import type { RpcBlock, RpcHeader } from './rpc-block.ts'

/** Asks for a block with its transactions, until the answer can be believed. */
export function fetchBlock(rpc: Rpc, number: number, signal: AbortSignal): Promise<RpcBlock> {
  return rpc.call({
    method: 'eth_getBlockByNumber',
    params: [blockParameter(number), true],
    read: (answer) => checkBlock(answer, number),
    signal,
  })
}

/** Asks for a block's header, until the answer can be believed. */
export function fetchHeader(rpc: Rpc, name: BlockName, signal: AbortSignal): Promise<RpcHeader> {
  return rpc.call({
    method: 'eth_getBlockByNumber',
    params: [blockParameter(name), false],
    read: (answer) => checkHeader(answer, name),
    signal,
  })
}

function blockParameter(name: BlockName): string {
  return typeof name === 'number' ? `0x${name.toString(16)}` : name
}
