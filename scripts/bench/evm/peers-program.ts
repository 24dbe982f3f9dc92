/** Other readers of blocks: `node peers-program.ts FOLDER`. `installPeers` returns the folder. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { JsonRpcProvider } from 'ethers'
import { Pool } from 'undici'
import { serveCalls } from '../program.ts'
import { askNode, connections } from './ask-node.ts'

/** Blocks from 0 on, with whole transactions. */
export interface Reading {
  readonly rpc: string
  readonly blocks: number
  /** Also `eth_getBlockReceipts` of each block. */
  readonly receipts: boolean
}

/** The part of viem that is measured. */
interface Viem {
  createPublicClient(options: { readonly transport: unknown }): {
    getBlock(request: { readonly blockNumber: bigint; readonly includeTransactions: true }): Promise<unknown>
    getBlockReceipts(request: { readonly blockNumber: bigint }): Promise<unknown>
  }
  http(url: string): unknown
}

const { createPublicClient, http }: Viem = createRequire(join(process.argv[2]!, 'package.json'))('viem')

serveCalls({
  undici: (reading: Reading) =>
    readInLanes(reading, async (pool, method, params) => (await askNode(pool, method, params)).arrayBuffer()),
  undiciJson: (reading: Reading) =>
    readInLanes(reading, async (pool, method, params) =>
      JSON.parse(await (await askNode(pool, method, params)).text()),
    ),
  async ethers({ rpc, blocks, receipts }: Reading) {
    const provider = new JsonRpcProvider(rpc, undefined, { staticNetwork: true })
    const ms = await timed(async () => {
      for (let number = 0; number < blocks; number++) {
        await provider.getBlock(number, true)
        if (receipts) await provider.send('eth_getBlockReceipts', [quantity(number)])
      }
    })
    provider.destroy()
    return ms
  },
  viem({ rpc, blocks, receipts }: Reading) {
    const client = createPublicClient({ transport: http(rpc) })
    return timed(async () => {
      for (let blockNumber = 0n; blockNumber < blocks; blockNumber++) {
        await client.getBlock({ blockNumber, includeTransactions: true })
        if (receipts) await client.getBlockReceipts({ blockNumber })
      }
    })
  },
})

type Ask = (pool: Pool, method: string, params: readonly unknown[]) => Promise<unknown>

async function readInLanes({ rpc, blocks, receipts }: Reading, ask: Ask): Promise<number> {
  const pool = new Pool(rpc, { connections })
  let next = 0
  const lane = async () => {
    while (next < blocks) {
      const number = quantity(next++)
      const asked = [ask(pool, 'eth_getBlockByNumber', [number, true])]
      if (receipts) asked.push(ask(pool, 'eth_getBlockReceipts', [number]))
      await Promise.all(asked)
    }
  }
  const ms = await timed(() => Promise.all(Array.from({ length: connections }, lane)))
  await pool.destroy()
  return ms
}

/** Duration in ms. */
async function timed(read: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await read()
  return performance.now() - start
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
