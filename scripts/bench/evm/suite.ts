import { join } from 'node:path'
import type { BenchContext, OpenSuite, Suite } from '../bench.ts'
import { startProgram } from '../program.ts'
import { backfillBench, stageBenches } from './backfill.ts'
import { memoryBenches } from './memory.ts'

/** The recorded chain from a node to the embedded queue. The node and each contestant have their own processes. */
export const evmSuite: Suite = { name: 'evm', open }

const transactions = 100
const stageBlocks = 240

async function open({ quick }: BenchContext): Promise<OpenSuite> {
  const program = (name: string, args: readonly string[] = []) =>
    startProgram(join(import.meta.dirname, `${name}-program.ts`), args)
  const node = await program('replay', ['100000', `${transactions}`])
  const rpc = await node.call<string>('rpc')
  const [connector, peers] = [await program('connector'), await program('peers')]
  const stages = await program('stages', [rpc, `${stageBlocks}`])
  const programs = { connector, peers, stages, rpc }
  return {
    benches: [backfillBench(programs, quick), ...stageBenches(programs), ...memoryBenches(quick)],
    async close() {
      await Promise.all([node, connector, peers, stages].map((each) => each.close()))
    },
  }
}
