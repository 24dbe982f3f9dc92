import { readFileSync } from 'node:fs'
import { type Call, type FakeNode, startFakeNode } from '../../testbed/chain/fake-node.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Answers of a public chain for one block, as a node gave them. */
export interface ChainFixture {
  /** Where they are published, by project and path, and what is changed. */
  readonly source: string
  readonly chainId: number
  /** With whole transactions. */
  readonly block: Fields & { readonly number: string; readonly hash: string; readonly transactions: readonly Fields[] }
  /** `null`: the source has none. */
  readonly receipts: readonly Fields[] | null
  /** How many of them `eth_getBlockReceipts` returns. Default: all. */
  readonly receiptsAtOnce?: number
}

export function readFixture(name: string): ChainFixture {
  return JSON.parse(readFileSync(new URL(`chains/${name}.json`, import.meta.url), 'utf8')) as ChainFixture
}

/** A node whose head is the block of a fixture. */
export async function serveFixture(fixture: ChainFixture): Promise<FakeNode> {
  const node = await startFakeNode('')
  const envelope = (call: Call) => ({ jsonrpc: '2.0', id: call.id, ...answer(fixture, call) })
  node.fault = (call, batch) => ({ body: JSON.stringify(batch ? batch.map(envelope) : envelope(call)) })
  return node
}

function answer({ chainId, block, receipts, receiptsAtOnce }: ChainFixture, { method, params }: Call): object {
  switch (method) {
    case 'eth_chainId':
      return { result: quantity(chainId) }
    case 'eth_getBlockByNumber':
      return {
        result: params[1] === true ? block : { ...block, transactions: block.transactions.map(({ hash }) => hash) },
      }
    case 'eth_getBlockReceipts':
      return { result: receipts?.slice(0, receiptsAtOnce) }
    case 'eth_getTransactionReceipt':
      return { result: receipts?.find(({ transactionHash }) => transactionHash === params[0]) ?? null }
    case 'eth_getBlockTransactionCountByNumber':
    case 'eth_getBlockTransactionCountByHash':
      return { result: quantity(block.transactions.length) }
    default:
      return { error: { code: -32601, message: `the method ${method} does not exist` } }
  }
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
