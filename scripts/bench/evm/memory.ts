import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { memoryOf } from '../linux-process.ts'
import { type Program, startProgram } from '../program.ts'
import { startConnector } from './connector-command.ts'
import type { ReplayedChainName, RequestCounts } from './replay-program.ts'

/** Interval of new blocks. */
const blockMs = 50

/** Highest memory of a built `connector run` with the default flags of Node, for long backfills and at the head. */
export function memoryBenches(quick: boolean): Bench[] {
  return [
    backfillBench('recorded', quick ? 2000 : 100_000, 'recorded blocks'),
    backfillBench('100 transactions', quick ? 500 : 20_000, 'blocks of 100 transactions'),
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

function backfillBench(chain: ReplayedChainName, blocks: number, which: string): Bench {
  const half = `${(blocks / 2).toLocaleString('en')} blocks`
  let halfBytes = Number.NaN
  return {
    name: `EVM backfill, ${blocks.toLocaleString('en')} ${which}`,
    unit: 'MB',
    better: 'lower',
    rounds: 1,
    contestants: {
      async ours() {
        await using node = await startProgram('evm/replay', chain, `${blocks}`)
        let calls = 0
        const peak = await runConnector(node, ['start=0', `end=${blocks - 1}`], async (bytes) => {
          calls += (await node.call<RequestCounts>('counts')).calls
          if (calls <= blocks / 2) halfBytes = bytes
        })
        return peak / 1e6
      },
      [half]: async () => halfBytes / 1e6,
    },
    targets: { [half]: 1.1 },
    limit: 300,
  }
}

async function live(blocks: number): Promise<number> {
  const head = 1000
  await using node = await startProgram('evm/replay', '100 transactions' satisfies ReplayedChainName, `${head}`)
  const settings = [`start=${head}`, `end=${head + blocks}`, `poll=${blockMs / 1000}`]
  const running = runConnector(node, settings)
  for (let grown = 0; grown < blocks; grown++) {
    await delay(blockMs)
    await node.call('grow', 1)
  }
  return (await running) / 1e6
}

/** Runs the example connector to its end, and returns its highest resident memory in bytes. */
async function runConnector(
  node: Program,
  settings: readonly string[],
  onSample: (bytes: number) => Promise<void> = async () => {},
): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'headrace-bench-'))
  const rpc = await node.call<string>('rpc')
  const connector = startConnector(`embedded:${directory}`, [`rpc=${rpc}`, ...settings])
  let isRunning = true
  const ended = connector.finally(() => {
    isRunning = false
  })
  ended.catch(() => {})
  let bytes = 0
  try {
    while (isRunning) {
      bytes = Math.max(bytes, await memoryOf(connector.pid!, 'VmHWM'))
      await onSample(bytes)
      await Promise.race([ended, delay(100)])
    }
    await ended
  } finally {
    await rm(directory, { recursive: true })
  }
  return bytes
}
