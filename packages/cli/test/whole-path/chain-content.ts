import { call, quantity } from '../../../testbed/chain/json-rpc.ts'

/** The hashes of the blocks `first` to `last` of a node and of their transactions, in order. */
export async function chainContent(rpc: string, first: number, last: number): Promise<ChainContent> {
  const content: ChainContent = { blocks: [], transactions: [] }
  for (let number = first; number <= last; number++) {
    const block = await call<RpcBlockHashes>(rpc, 'eth_getBlockByNumber', [quantity(number), false])
    content.blocks.push(block.hash)
    content.transactions.push(...block.transactions)
  }
  return content
}

export interface ChainContent {
  readonly blocks: string[]
  readonly transactions: string[]
}

interface RpcBlockHashes {
  readonly hash: string
  readonly transactions: string[]
}
