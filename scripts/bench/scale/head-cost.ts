import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { startConnector } from '../evm/connector-command.ts'
import type { ReplayedChainName, RequestCounts } from '../evm/replay-program.ts'
import { cpuOf, memoryOf } from '../linux-process.ts'
import { type Program, startProgram } from '../program.ts'

interface HeadCost {
  /** CPU time of all threads per second, in ms. */
  readonly cpuMs: number
  /** Resident memory at the end, in bytes. */
  readonly memory: number
}

const head = 1000
/** Blocks after which the code of the connector is compiled. */
const warmUpBlocks = 40

/** What a built `connector run` costs that follows a chain with blocks of 100 transactions at its head. */
export function headBenches(queueUrl: string | undefined, quick: boolean): Bench[] {
  const engine = queueUrl === undefined ? 'embedded' : 'Kafka'
  const seconds = quick ? 4 : 30
  let memory = Number.NaN
  const bench = (blockS: number | undefined): Bench => ({
    name: `Connector at the head, ${engine}, ${blockS === undefined ? 'no blocks' : `a block every ${blockS} s`}`,
    unit: 'ms of CPU/s',
    better: 'lower',
    rounds: quick ? 1 : 3,
    contestants: {
      async ours() {
        const cost = await followHead({ queueUrl, blockS, seconds })
        memory = cost.memory
        return cost.cpuMs
      },
    },
    targets: {},
  })
  return [
    bench(undefined),
    bench(2),
    bench(0.25),
    {
      name: `Connector at the head, ${engine}, memory`,
      unit: 'MB',
      better: 'lower',
      rounds: 1,
      contestants: { ours: async () => memory / 1e6 },
      targets: {},
    },
  ]
}

interface Following {
  /** Default: a new embedded queue. */
  readonly queueUrl: string | undefined
  /** Seconds between two blocks. Default: no blocks. */
  readonly blockS: number | undefined
  readonly seconds: number
}

async function followHead({ queueUrl, blockS, seconds }: Following): Promise<HeadCost> {
  const directory = await mkdtemp(join(tmpdir(), 'headrace-bench-'))
  await using node = await startProgram('evm/replay', '100 transactions' satisfies ReplayedChainName, `${head}`)
  const instance = `c${Date.now()}`
  const rpc = `rpc=${await node.call<string>('rpc')}`
  const settings = [rpc, `chain=${instance}`, `poll=${Math.min(1, blockS ?? 1)}`, `start=${head}`]
  const connector = startConnector(queueUrl ?? `embedded:${directory}`, settings, instance)
  connector.catch(() => {})
  try {
    await requested(node, 1)
    await node.call('grow', warmUpBlocks)
    await requested(node, warmUpBlocks)
    // Its commits.
    await delay(2000)
    const before = await cpuOf(connector.pid!)
    const end = performance.now() + seconds * 1000
    for (let next = performance.now(); blockS !== undefined && next < end; next += blockS * 1000) {
      await delay(Math.max(0, next - performance.now()))
      await node.call('grow', 1)
    }
    await delay(Math.max(0, end - performance.now()))
    const cpuMs = ((await cpuOf(connector.pid!)) - before) / seconds
    return { cpuMs, memory: await memoryOf(connector.pid!, 'VmRSS') }
  } finally {
    connector.kill('SIGKILL')
    await connector.catch(() => {})
    await rm(directory, { recursive: true })
  }
}

/** Resolves when the node has been asked at least that number of times. */
async function requested(node: Program, calls: number): Promise<void> {
  for (let seen = 0; seen < calls; await delay(50)) seen += (await node.call<RequestCounts>('counts')).calls
}
