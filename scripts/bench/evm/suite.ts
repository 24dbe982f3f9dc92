import type { Bench, BenchContext, OpenSuite, Suite } from '../bench.ts'
import { type Program, startProgram } from '../program.ts'
import type { RunFigures, RunSettings } from './connector-program.ts'
import { memoryBenches } from './memory.ts'
import type { Reading } from './peers-program.ts'

/** The recorded chain from a node to the embedded queue. The node and each contestant have their own processes. */
export const evmSuite: Suite = { name: 'evm', open }

const transactions = 100
const stageBlocks = 240

async function open({ quick }: BenchContext): Promise<OpenSuite> {
  const programs = new AsyncDisposableStack()
  const node = programs.use(await startProgram('evm/replay', '100000', `${transactions}`))
  const rpc = await node.call<string>('rpc')
  const connector = programs.use(await startProgram('evm/connector'))
  const peers = programs.use(await startProgram('evm/peers'))
  const stages = programs.use(await startProgram('evm/stages', rpc, `${stageBlocks}`))
  return {
    benches: [backfillBench(connector, peers, rpc, quick), ...stageBenches(stages), ...memoryBenches(quick)],
    close: () => programs.disposeAsync(),
  }
}

/** Blocks per second from a node to the embedded queue, against only reading them. */
function backfillBench(connector: Program, peers: Program, rpc: string, quick: boolean): Bench {
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
function stageBenches(stages: Program): Bench[] {
  return ['fetch', 'parse', 'map', 'encode', 'commit'].map((stage) => ({
    name: `EVM block of 100 transactions, ${stage}`,
    unit: 'ms of CPU',
    better: 'lower',
    contestants: { ours: () => stages.call<number>(stage) },
    targets: {},
  }))
}
