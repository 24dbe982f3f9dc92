import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import type { Program } from '../program.ts'
import { repository } from './connector-command.ts'
import type { ConnectorRun, RunFigures } from './connector-program.ts'
import type { Reading } from './peers-program.ts'
import type { ReplayedChainName } from './replay-program.ts'

export interface BackfillOptions {
  readonly chain: ReplayedChainName
  /** Of a node with this chain. */
  readonly rpc: string
  readonly connector: Program
  readonly peers: Program
  readonly quick: boolean
}

/** Blocks per second from a node to the embedded queue, against only reading them. */
export function backfillBenches(options: BackfillOptions): Bench[] {
  return [backfillBench(options, false), backfillBench(options, true)]
}

function backfillBench({ chain, rpc, connector, peers, quick }: BackfillOptions, receipts: boolean): Bench {
  const blocks = (quick ? 200 : 3000) / (receipts ? 2 : 1)
  /** Of ethers, which is slowest. */
  const fewBlocks = quick ? 20 : 100
  const peer = (method: string, blocks: number) => async () =>
    perSecond(blocks, await peers.call<number>(method, { rpc, blocks, receipts } satisfies Reading))
  return {
    name: `EVM backfill, ${chain}${receipts ? ', receipts, logs' : ''}`,
    unit: 'blocks/s',
    better: 'higher',
    contestants: {
      async ours() {
        const run: ConnectorRun = { folder, settings: { rpc, start: 0, end: blocks - 1, receipts, logs: receipts } }
        return perSecond(blocks, (await connector.call<RunFigures>('run', run)).ms)
      },
      'undici, JSON.parse': peer('undiciJson', blocks),
      undici: peer('undici', blocks),
      'ethers getBlock': peer('ethers', fewBlocks),
      'viem getBlock': peer('viem', fewBlocks * 5),
    },
    targets: { 'undici, JSON.parse': 0.6, 'ethers getBlock': 20 },
  }
}

const folder = join(repository, 'examples/evm')

function perSecond(count: number, ms: number): number {
  return (count * 1000) / ms
}
