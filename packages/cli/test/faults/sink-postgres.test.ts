import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { type Chain, startChain } from '../../../testbed/chain/chain.ts'
import { call } from '../../../testbed/chain/json-rpc.ts'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { startCuttingProxy } from '../../../testbed/postgres/cutting-proxy.ts'
import { findPostgres, startPostgres } from '../../../testbed/postgres/postgres.ts'
import { reportSkipped } from '../../../testbed/skipped-tests.ts'
import { type ConnectorProcess, startConnector } from '../whole-path/connector-process.ts'

const block = 'headrace.evm.1_0_0.ethereum_Block'
const transaction = 'headrace.evm.1_0_0.ethereum_Transaction'
const deadlineMs = 60_000
const binaries = findPostgres()
if (!binaries) reportSkipped('Sink', 'there is no PostgreSQL in /usr/lib/postgresql')

/** The sinks of the test: a row per record, and a row per key. */
const sinks = [
  ['--name', 'records', '--topic', block, '--topic', transaction],
  ['--name', 'keys', '--topic', `${transaction}=transactions`, '--primary-key', 'key'],
]

test.skipIf(!binaries)(
  'tables equal the chain after kills of sinks and PostgreSQL, cut connections and reorganisations',
  async () => {
    const names = ['kill', 'take over', 'kill', 'take over', 'PostgreSQL', 'cut', 'reorganisation'] as const
    const plan = planFaults('sink to PostgreSQL', { once: 7, scaled: 14, full: 350 }, [...new Set(names)])
    await using resources = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), 'headrace-sink-'))
    resources.defer(() => rm(folder, { recursive: true }))
    const queue = ['--queue', `embedded:${folder}`]
    const chain = await startChain()
    resources.defer(() => chain.stop())
    await chain.mine(20)
    const settings = ['rpc', 'start', 'poll'].flatMap((name, n) => ['--set', `${name}=${[chain.rpc, 0, 0.1][n]}`])
    const run = startConnector(['run', 'examples/evm', ...queue, ...settings])
    resources.defer(() => kill(run))
    const postgres = resources.use(await startPostgres(binaries!))
    const proxy = resources.use(await startCuttingProxy(postgres.port))
    const destination = postgres.url.replace(`:${postgres.port}`, `:${proxy.port}`)
    const table = await openTable(postgres.url, chain)

    const start = (sink: number) => startConnector(['sink', destination, ...queue, ...sinks[sink]!])
    const running = sinks.map((_, sink) => start(sink))
    resources.defer(async () => {
      await Promise.all(running.map(kill))
    })
    await table.equalsChain()
    await table.refusesForks()

    const faults = {
      async kill(sink: number) {
        await kill(running[sink]!)
        running[sink] = start(sink)
      },
      async 'take over'(sink: number) {
        const next = start(sink)
        await delay(plan.random.integer(1000))
        await kill(running[sink]!)
        running[sink] = next
      },
      PostgreSQL: () => postgres.crash(),
      async cut() {
        const done = proxy.cutAfter(1 + plan.random.integer(20_000))
        while (!(await Promise.race([done.then(() => true), delay(50, false)]))) await chain.mine(1)
      },
      reorganisation: () => chain.reorganise(1 + plan.random.integer(4)),
    }
    for (let fault = 0; fault < plan.count; fault++) {
      const name = names[fault % names.length]!
      // The records that will be reverted must be in the table first.
      if (name === 'reorganisation' || plan.random.integer(2) === 0) await table.equalsChain()
      await faults[name](plan.random.integer(sinks.length))
      plan.hit(name)
      await chain.mine(1 + plan.random.integer(3))
    }
    await table.equalsChain()
    const source = ['--source', '--full', '--set', `rpc=${chain.rpc}`]
    for (const [index, sink] of sinks.entries()) {
      const verification = ['verify', 'examples/evm', ...queue, '--sink', postgres.url, ...sink]
      const { code, stdout } = await startConnector([...verification, ...(index === 0 ? source : [])]).ended
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('No problems') })
    }
    plan.expectAllHit()
  },
  30 * 60_000,
)

async function kill({ child, ended }: ConnectorProcess): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

interface Table {
  /** Waits for the newest block in both sinks, and compares the tables with the chain. */
  equalsChain(): Promise<void>
  /** From now on, no commit may leave two blocks with the same number. */
  refusesForks(): Promise<void>
}

async function openTable(url: string, { rpc }: Chain): Promise<Table> {
  return {
    async equalsChain() {
      const chain = await blocksOf(rpc)
      for (const deadline = Date.now() + deadlineMs; ; await delay(50)) {
        const found = await query<Stored>(url, stored).catch(() => [])
        if (JSON.stringify(found) === JSON.stringify(chain)) return
        if (Date.now() > deadline) return expect(found).toEqual(chain)
      }
    },
    async refusesForks() {
      await query(
        url,
        `alter table ethereum_block add constraint one_block_of_a_number
         exclude using btree (number with =) deferrable initially deferred`,
      )
    },
  }
}

/** A connection of its own, because the server is killed. */
async function query<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

interface Stored {
  readonly hash: string
  readonly transactions: number
  readonly keys: number
}

/** Each block with the number of its transactions in both tables. */
const stored = `
  select hash,
    (select count(*)::int from ethereum_transaction where block_hash = block.hash) as transactions,
    (select count(*)::int from transactions where block_hash = block.hash) as keys
  from ethereum_block block order by number`

async function blocksOf(rpc: string): Promise<Stored[]> {
  const head = Number(await call<string>(rpc, 'eth_blockNumber', []))
  return Promise.all(
    Array.from({ length: head + 1 }, async (_, number) => {
      const block = await call<{ hash: string; transactions: string[] }>(rpc, 'eth_getBlockByNumber', [
        `0x${number.toString(16)}`,
        false,
      ])
      const { length } = block.transactions
      return { hash: block.hash, transactions: length, keys: length }
    }),
  )
}
