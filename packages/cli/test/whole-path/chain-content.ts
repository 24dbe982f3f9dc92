/** What a node says is in its chain: the hashes of blocks `first` to `last` and of their transactions, in order. */
export async function chainContent(rpc: string, first: number, last: number): Promise<ChainContent> {
  const content: ChainContent = { blocks: [], transactions: [] }
  for (let number = first; number <= last; number++) {
    const block = await ethGetBlock(rpc, number)
    content.blocks.push(block.hash)
    content.transactions.push(...block.transactions)
  }
  return content
}

export interface ChainContent {
  readonly blocks: string[]
  readonly transactions: string[]
}

async function ethGetBlock(rpc: string, number: number): Promise<{ hash: string; transactions: string[] }> {
  const response = await fetch(rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBlockByNumber',
      params: [`0x${number.toString(16)}`, false],
    }),
  })
  const { result } = (await response.json()) as { result: { hash: string; transactions: string[] } }
  return result
}
