import { token } from '../../../packages/testbed/recorded-chain/busy-blocks.ts'
import type { Bench, BenchContext, OpenSuite, Suite } from '../bench.ts'
import { type Program, startProgram } from '../program.ts'
import { backfillBenches } from './backfill.ts'
import { makeEventProject } from './event-project.ts'
import { eventBenches } from './events.ts'
import { installPeers } from './install-peers.ts'
import { memoryBenches } from './memory.ts'
import type { ReplayedChainName } from './replay-program.ts'

/** From a node with a replayed chain to the embedded queue. The node and each contestant have their own processes. */
export const evmSuite: Suite = { name: 'evm', open }

const head = 110_000
const stageBlocks = 240

async function open({ quick, signal }: BenchContext): Promise<OpenSuite | { unavailable: string }> {
  const installed = await installPeers(signal).catch((error: Error) => error)
  if (installed instanceof Error) return { unavailable: `its peers could not be installed: ${installed.message}` }
  const programs = new AsyncDisposableStack()
  const connector = programs.use(await startProgram('evm/connector'))
  const peers = programs.use(await startProgram('evm/peers', installed))
  const benches: Bench[] = []
  const chains = ['100 transactions', '100 to 200 transactions'] satisfies ReplayedChainName[]
  for (const chain of chains) {
    const node = programs.use(await startProgram('evm/replay', chain, `${head}`))
    const rpc = await node.call<string>('rpc')
    benches.push(...backfillBenches({ chain, rpc, connector, peers, quick }))
    if (chain !== chains[0]) continue
    benches.push(...stageBenches(programs.use(await startProgram('evm/stages', rpc, `${stageBlocks}`))))
    const { folder } = programs.use(await makeEventProject(token))
    benches.push(...(await eventBenches({ node, connector, folder, peers: installed, quick })))
  }
  benches.push(...memoryBenches(quick))
  return { benches, close: () => programs.disposeAsync() }
}

/** The cost of each stage by itself. */
function stageBenches(stages: Program): Bench[] {
  return ['fetch', 'encode', 'fetch receipts', 'encode receipts', 'commit'].map((stage) => ({
    name: `EVM block of 100 transactions, ${stage}`,
    unit: 'ms of CPU',
    better: 'lower',
    contestants: { ours: () => stages.call<number>(stage) },
    targets: {},
  }))
}
