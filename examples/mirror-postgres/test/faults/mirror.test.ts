import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { type Chain, startChain } from '../../../../packages/testbed/chain/chain.ts'
import { call } from '../../../../packages/testbed/chain/json-rpc.ts'
import { planFaults } from '../../../../packages/testbed/faults/fault-plan.ts'
import { freePorts } from '../../../../packages/testbed/kafka/free-ports.ts'
import { environment } from '../environment.ts'
import { findPostgres, startPostgres } from '../postgres.ts'
import { type Program, startCommand, startProgram } from '../program.ts'

const topic = 'headrace.evm.1_0_0.ethereum_Block'
const deadlineMs = 60_000
const binaries = findPostgres()
const missing = binaries ? undefined : 'there is no PostgreSQL in /usr/lib/postgresql'
if (missing && environment.ci) throw new Error(`The mirror cannot be tested: ${missing}.`)

describe.skipIf(missing !== undefined)(`a mirror in PostgreSQL${missing ? `, skipped: ${missing}` : ''}`, () => {
  test(
    'equals the chain after kills of the mirror and the gateway and after reorganisations',
    async () => {
      const plan = planFaults('mirror', { once: 8, scaled: 12, full: 300 }, [
        'mirror',
        'gateway',
        'both',
        'reorganisation',
      ])
      await using resources = new AsyncDisposableStack()
      const folder = await mkdtemp(join(tmpdir(), 'headrace-mirror-'))
      resources.defer(() => rm(folder, { recursive: true }))
      const queue = ['--queue', `embedded:${folder}`]
      const chain = await startChain()
      resources.defer(() => chain.stop())
      await chain.mine(20)
      const settings = ['rpc', 'start', 'poll'].flatMap((name, n) => ['--set', `${name}=${[chain.rpc, 0, 0.1][n]}`])
      resources.use(startCommand(['run', 'examples/evm', ...queue, ...settings]))
      const postgres = resources.use(await startPostgres(binaries!))
      const table = await openTable(postgres.url, chain)
      resources.use(table)

      await using keys = startCommand(['keys', 'create', ...queue, '--name', 'mirror'])
      const apiKey = await keys.firstLine
      const [port] = await freePorts(1)
      const variables = {
        ...{ HEADRACE_URL: `http://127.0.0.1:${port}`, HEADRACE_API_KEY: apiKey, HEADRACE_TOPIC: topic },
        ...{ DATABASE_URL: postgres.url, MIRROR_TABLE: 'blocks' },
      }
      const running = {
        gateway: startCommand(['serve', ...queue, '--port', `${port}`]),
        mirror: undefined as Program | undefined,
      }
      resources.defer(() => running.gateway.kill())
      resources.defer(() => running.mirror?.kill())
      const restart = {
        async gateway() {
          await running.gateway.kill()
          running.gateway = startCommand(['serve', ...queue, '--port', `${port}`])
        },
        async mirror() {
          await running.mirror?.kill()
          running.mirror = startProgram([join(import.meta.dirname, '../../src/main.ts')], variables)
        },
      }
      await running.gateway.firstLine
      await restart.mirror()
      await table.equalsChain()
      await table.refusesForks()

      const faults = {
        mirror: restart.mirror,
        gateway: restart.gateway,
        both: () => Promise.all([restart.mirror(), restart.gateway()]),
        reorganisation: () => chain.reorganise(1 + plan.random.integer(4)),
      }
      const names = Object.keys(faults) as (keyof typeof faults)[]
      for (let fault = 0; fault < plan.count; fault++) {
        const name = names[fault % names.length]!
        // The records that will be reverted must be in the table first.
        if (name === 'reorganisation' || plan.random.integer(2) === 0) await table.equalsChain()
        await faults[name]()
        plan.hit(name)
        await chain.mine(1 + plan.random.integer(3))
      }
      await table.equalsChain()
      plan.expectAllHit()
    },
    20 * 60_000,
  )
})

interface Table extends AsyncDisposable {
  /** Waits for the newest block, and compares the table with the chain. */
  equalsChain(): Promise<void>
  /** From now on, no commit may leave two blocks with the same number. */
  refusesForks(): Promise<void>
}

async function openTable(url: string, { rpc }: Chain): Promise<Table> {
  const database = new pg.Client(url)
  await database.connect()
  return {
    async equalsChain() {
      const blocks = await blocksOf(rpc)
      const head = blocks.at(-1)!
      for (const deadline = Date.now() + deadlineMs; ; await delay(50)) {
        const rows = await rowsOf(database)
        if (rows.some(({ hash }) => hash === head.hash)) return expect(rows).toEqual(blocks)
        if (Date.now() > deadline)
          throw new Error(`Block ${head.number} did not come; ${rows.length} blocks are there.`)
      }
    },
    async refusesForks() {
      await database.query(`
        alter table blocks add constraint one_block_of_a_number
        exclude using btree ((value->>'Number') with =) deferrable initially deferred`)
    },
    [Symbol.asyncDispose]: () => database.end(),
  }
}

interface Row {
  readonly number: number
  readonly hash: string
}

async function blocksOf(rpc: string): Promise<Row[]> {
  const head = Number(await call<string>(rpc, 'eth_blockNumber', []))
  const numbers = Array.from({ length: head + 1 }, (_, number) => number)
  return Promise.all(
    numbers.map(async (number) => {
      const { hash } = await call<{ hash: string }>(rpc, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
      return { number, hash }
    }),
  )
}

async function rowsOf(database: pg.Client): Promise<Row[]> {
  const { rows: tables } = await database.query("select to_regclass('blocks') as name")
  if (tables[0].name === null) return []
  const sql = `select (value->>'Number')::int as number, value->>'Hash' as hash from blocks order by partition, seq`
  return (await database.query(sql)).rows
}
