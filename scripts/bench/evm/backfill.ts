import type { Bench } from '../bench.ts'
import type { Program } from '../program.ts'
import type { RunFigures, RunSettings } from './connector-program.ts'
import type { Reading } from './peers-program.ts'

export interface BackfillPrograms {
  readonly connector: Program
  readonly peers: Program
  readonly stages: Program
  readonly rpc: string
}

/** Blocks per second from a node to the embedded queue, against only reading them. */
export function backfillBench({ connector, peers, rpc }: BackfillPrograms, quick: boolean): Bench {
  const blocks = quick ? 300 : 3000
  const fewBlocks = quick ? 20 : 100
  const perSecond = (count: number, ms: number) => (count * 1000) / ms
  return {
    name: 'EVM backfill, blocks of 100 transactions',
    unit: 'blocks/s',
    better: 'higher',
    contestants: {
      async ours() {
        const settings: RunSettings = { rpc, start: 0, end: blocks - 1 }
        return perSecond(blocks, (await connector.call<RunFigures>('run', settings)).ms)
      },
      'undici, JSON.parse': async () =>
        perSecond(blocks, await peers.call<number>('undici', { rpc, blocks } satisfies Reading)),
      'ethers getBlock': async () =>
        perSecond(fewBlocks, await peers.call<number>('ethers', { rpc, blocks: fewBlocks } satisfies Reading)),
    },
    targets: { 'undici, JSON.parse': 0.5, 'ethers getBlock': 12 },
  }
}

/** The cost of each stage by itself. */
export function stageBenches({ stages }: BackfillPrograms): Bench[] {
  return ['fetch', 'parse', 'map', 'encode', 'commit'].map((stage) => ({
    name: `EVM block of 100 transactions, ${stage}`,
    unit: 'ms of CPU',
    better: 'lower',
    contestants: { ours: () => stages.call<number>(stage) },
    targets: {},
  }))
}
