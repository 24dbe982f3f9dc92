import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readPart } from '../../../sink/src/parquet/stored-files.ts'
import { type Chain, startChain } from '../../../testbed/chain/chain.ts'
import { call } from '../../../testbed/chain/json-rpc.ts'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { type ConnectorProcess, startConnector } from '../whole-path/connector-process.ts'

const block = 'headrace.evm.1_0_0.ethereum_Block'
const transaction = 'headrace.evm.1_0_0.ethereum_Transaction'
const deadlineMs = 60_000
/** Blocks on top of one that is final. */
const finality = 4

test(
  'files equal the final blocks after kills and reorganisations, each once and in order',
  async () => {
    const plan = planFaults('sink to Parquet', { once: 6, scaled: 9, full: 200 }, [
      'kill',
      'take over',
      'reorganisation',
    ])
    await using resources = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), 'headrace-sink-'))
    resources.defer(() => rm(folder, { recursive: true }))
    const queue = ['--queue', `embedded:${folder}`]
    const chain = await startChain()
    resources.defer(() => chain.stop())
    await chain.mine(12)
    const settings = { rpc: chain.rpc, start: 0, poll: 0.1, finality }
    const set = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`])
    // The sink needs the topics.
    expect(await startConnector(['run', 'examples/evm', ...queue, ...set, '--set', 'end=1']).ended).toMatchObject({
      code: 0,
    })
    const run = startConnector(['run', 'examples/evm', ...queue, ...set])
    resources.defer(() => kill(run))

    const sink = [`parquet:${folder}/lake`, ...queue, '--topic', block, '--topic', `${transaction}=transactions`]
    const start = () => startConnector(['sink', ...sink, '--max-rows', '5', '--max-age', '1s'])
    let running = start()
    resources.defer(() => kill(running))
    const read = () => blocksIn(join(folder, 'lake', block))
    await untilFinal(chain, read)

    const faults = {
      async kill() {
        await kill(running)
        running = start()
      },
      async 'take over'() {
        const next = start()
        await delay(plan.random.integer(1500))
        await kill(running)
        running = next
      },
      // Final blocks stay.
      reorganisation: () => chain.reorganise(1 + plan.random.integer(finality - 1)),
    }
    const names = Object.keys(faults) as (keyof typeof faults)[]
    for (let fault = 0; fault < plan.count; fault++) {
      const name = names[fault % names.length]!
      await chain.mine(1 + plan.random.integer(3))
      await delay(plan.random.integer(1200))
      await faults[name]()
      plan.hit(name)
      // What a reader sees that takes every file.
      const seen = await read()
      expect(seen).toEqual((await hashesOf(chain)).slice(0, seen.length))
    }
    await chain.mine(3)
    await untilFinal(chain, read)
    running.child.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 0 })
    const { code, stdout } = await startConnector(['verify', 'examples/evm', ...queue, '--sink', ...withoutQueue(sink)])
      .ended
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('No problems') })
    plan.expectAllHit()
  },
  30 * 60_000,
)

function withoutQueue([destination, , , ...topics]: readonly string[]): string[] {
  return [destination!, ...topics]
}

async function kill({ child, ended }: ConnectorProcess): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

/** Waits until all final blocks are in the files. */
async function untilFinal(chain: Chain, read: () => Promise<unknown[]>): Promise<void> {
  const hashes = (await hashesOf(chain)).slice(0, -finality)
  for (const deadline = Date.now() + deadlineMs; ; await delay(100)) {
    const found = await read()
    if (JSON.stringify(found) === JSON.stringify(hashes)) return
    if (Date.now() > deadline) return expect(found).toEqual(hashes)
  }
}

async function hashesOf({ rpc }: Chain): Promise<string[]> {
  const head = Number(await call<string>(rpc, 'eth_blockNumber', []))
  return Promise.all(
    Array.from({ length: head + 1 }, async (_, number) => {
      const { hash } = await call<{ hash: string }>(rpc, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
      return hash
    }),
  )
}

/** The hashes of all rows, in order of the files. */
async function blocksIn(folder: string): Promise<unknown[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.parquet'))
  const found: unknown[] = []
  try {
    for (const name of names.toSorted())
      for await (const rows of readPart(join(folder, name))) found.push(...rows.map(({ hash }) => hash))
    return found
  } catch (error) {
    // A run that starts removes a file that was not made valid.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return blocksIn(folder)
    throw error
  }
}
