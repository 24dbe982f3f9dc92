import { call } from './json-rpc.ts'

export interface ServedBlock {
  readonly hash: string
  readonly parentHash: string
  readonly number: number
  /** Hashes of its transactions, in order. */
  readonly transactions: readonly string[]
}

/** Every block that a node has served so far, of all branches. */
export interface ServedBlocks {
  /** Records the chain that the node serves now and returns its head. Call it after each change of the chain. */
  note(): Promise<ServedBlock>
  get(hash: string): ServedBlock | undefined
  /** Hashes of a chain in order, from block 0 to its head. */
  chainOf(head: ServedBlock): string[]
}

export function createServedBlocks(rpc: string): ServedBlocks {
  const blocks = new Map<string, ServedBlock>()
  return {
    async note() {
      const head = toServed(await call<RpcBlock>(rpc, 'eth_getBlockByNumber', ['latest', false]))
      for (let block = head; !blocks.has(block.hash); ) {
        blocks.set(block.hash, block)
        if (block.number === 0) break
        block =
          blocks.get(block.parentHash) ?? toServed(await call(rpc, 'eth_getBlockByHash', [block.parentHash, false]))
      }
      return head
    },
    get: (hash) => blocks.get(hash),
    chainOf(head) {
      const hashes: string[] = []
      for (let block: ServedBlock | undefined = head; block; block = blocks.get(block.parentHash))
        hashes.push(block.hash)
      return hashes.reverse()
    },
  }
}

type RpcBlock = Omit<ServedBlock, 'number'> & { readonly number: string }

function toServed({ hash, parentHash, number, transactions }: RpcBlock): ServedBlock {
  return { hash, parentHash, number: Number(number), transactions }
}
