import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue, type Queue } from '@headrace/queue'
import { createGateway } from '@headrace/server'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Chain, canonicalNames, openChain } from '../../server/test/shop/chain.ts'
import { findPostgres, type Postgres, startPostgres } from '../../testbed/postgres/postgres.ts'
import { reportSkipped } from '../../testbed/skipped-tests.ts'
import { type CommandResult, runInProcess } from './command-in-process.ts'

const topic = 'acme.shop.1_0_0.shop_Order'
const binaries = findPostgres()
if (!binaries) reportSkipped('Sink', 'there is no PostgreSQL in /usr/lib/postgresql')

describe.skipIf(!binaries)('connector sink', () => {
  let directory: string
  let queue: Queue
  let chain: Chain
  let postgres: Postgres
  let database: pg.Client
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'headrace-sink-'))
    queue = await openQueue(`embedded:${directory}`)
    chain = await openChain(queue, { topic, partitions: 3 })
    postgres = await startPostgres(binaries!)
    database = new pg.Client(postgres.url)
    await database.connect()
  })
  afterAll(async () => {
    await database?.end()
    await postgres?.[Symbol.asyncDispose]()
    await queue.close()
    await rm(directory, { recursive: true })
  })

  const sink = (...args: string[]) => run('sink', postgres.url, '--topic', topic, '--once', ...args)
  const verify = (...args: string[]) => run('verify', '--sink', postgres.url, '--topic', topic, '--json', ...args)

  async function run(command: string, ...args: string[]): Promise<CommandResult> {
    return runInProcess([command, ...args, '--queue', `embedded:${directory}`])
  }

  async function rows(): Promise<string[]> {
    const { rows } = await database.query<{ name: string }>(`select _partition || ':' || _seq as name from shop_order`)
    return rows.map(({ name }) => name)
  }

  test('fills a table, continues after its cursor, and removes what was reverted', async () => {
    await chain.publish({ partitions: [0, 1, 1, 2] }, { partitions: [0, 2] }, { partitions: [1], revertUnits: 1 })
    for (let round = 0; round < 3; round++) {
      expect(await sink()).toMatchObject({ code: 0, stdout: expect.stringContaining('Everything is applied') })
      expect((await rows()).sort()).toEqual(canonicalNames(chain, chain.head()).sort())
      const { code, stdout } = await verify()
      expect({ code, summary: JSON.parse(stdout).summary }).toMatchObject({ code: 0, summary: { findings: 0 } })
      await chain.publish({ partitions: [2, 2, 0], revertUnits: 1 }, { partitions: [1] })
    }
  })

  test('reads a gateway with --from, and applies what was published since', async () => {
    const log = pino({ level: 'silent' })
    const gateway = await createGateway({ queue, log, port: 0 })
    try {
      const variables = { HEADRACE_API_KEY: gateway.key }
      const args = ['sink', postgres.url, '--topic', topic, '--once', '--from', gateway.url]
      expect(await runInProcess(args, { variables })).toMatchObject({ code: 0 })
      expect((await rows()).sort()).toEqual(canonicalNames(chain, chain.head()).sort())
    } finally {
      await gateway.close()
    }
  })

  test('verify reports each row that is missing, unexpected or different', async () => {
    const [first, second] = (await rows()).map((name) => name.split(':'))
    const at = (place: string[]) => `where _partition = ${place[0]} and _seq = ${place[1]}`
    await database.query(`update shop_order set note = 'x' ${at(first!)}`)
    await database.query(`delete from shop_order ${at(second!)}`)
    await database.query(`insert into shop_order (_partition, _seq) values (1, 1000)`)
    const { code, stdout } = await verify()
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect({ code, codes: lines.map(({ code }) => code).sort() }).toEqual({
      code: 1,
      codes: ['row_differs', 'row_missing', 'row_unexpected', undefined],
    })
  })

  test.each([
    ['no topic', 2, [], 'at least one --topic'],
    ['a topic that does not exist', 1, ['--topic', 'acme.shop.1_0_0.shop_Ordr'], 'shop_Ordr'],
    ['a table of the user', 1, ['--name', 'b', '--topic', `${topic}=users`], 'was not made by this sink'],
    ['another primary key', 1, ['--primary-key', 'key', '--topic', topic], 'made with --primary-key seq'],
  ])('%s is refused, with what to do', async (_, code, args, message) => {
    await database.query('create table if not exists users (name text)')
    const result = await run('sink', postgres.url, '--once', ...args)
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) })
    expect(result.stderr).not.toMatch(/^\s+at /m)
  })

  test('a destination that is none is wrong usage', async () => {
    const result = await run('sink', 'mysql://localhost/shop', '--topic', topic)
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a destination') })
  })

  test('does not fill a table that was dropped from its middle', async () => {
    await database.query('drop table shop_order')
    expect(await sink()).toMatchObject({ code: 1, stderr: expect.stringContaining('was dropped') })
  })
})
