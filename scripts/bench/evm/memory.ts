import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { startProgram } from '../program.ts'
import type { RunFigures, RunSettings } from './connector-program.ts'

/** Interval of new blocks. */
const blockMs = 50

/** Maximum memory of a connector's process, for a long backfill and at the head. */
export function memoryBenches(quick: boolean): Bench[] {
  const blocks = quick ? 2000 : 100_000
  let halfBytes = Number.NaN
  const half = (blocks / 2).toLocaleString('en')
  return [
    {
      name: `EVM backfill, ${blocks.toLocaleString('en')} recorded blocks`,
      unit: 'MB',
      better: 'lower',
      rounds: 1,
      contestants: {
        async ours() {
          const figures = await backfill(blocks)
          halfBytes = figures.halfBytes
          return figures.bytes / 1e6
        },
        [`${half} blocks`]: async () => halfBytes / 1e6,
      },
      targets: { [`${half} blocks`]: 1.1 },
      limit: 400,
    },
    {
      name: 'EVM live, 20 blocks/s of 100 transactions',
      unit: 'MB',
      better: 'lower',
      rounds: 1,
      contestants: { ours: () => live(quick ? 40 : 400) },
      targets: {},
      limit: 150,
    },
  ]
}

async function backfill(blocks: number): Promise<RunFigures> {
  await using node = await startProgram('evm/replay', `${blocks}`)
  await using connector = await startProgram('evm/connector')
  const settings: RunSettings = { rpc: await node.call('rpc'), start: 0, end: blocks - 1 }
  return await connector.call('run', settings)
}

async function live(blocks: number): Promise<number> {
  const head = 1000
  await using node = await startProgram('evm/replay', `${head}`, '100')
  await using connector = await startProgram('evm/connector')
  const rpc = await node.call<string>('rpc')
  const settings: RunSettings = { rpc, start: head, end: head + blocks, poll: blockMs / 1000 }
  const running = connector.call<RunFigures>('run', settings)
  for (let grown = 0; grown < blocks; grown++) {
    await delay(blockMs)
    await node.call('grow', 1)
  }
  return (await running).bytes / 1e6
}
