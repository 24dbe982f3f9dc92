import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { environment } from './environment.ts'
import { findPostgres, startPostgres } from './postgres.ts'

const binaries = findPostgres()
if (!binaries && environment.ci) throw new Error('The SQL cannot be tested: there is no PostgreSQL.')

const readsHex = 160_000
const max = 2n ** 64n - 1n
const amounts = [0n, 8n, max, max + 1n, 2n ** 100n + 7n, 2n ** 256n - 1n]

test.skipIf(!binaries)('the SQL of the EVM example reads amounts of any size', async () => {
  const page = await readFile(new URL('../../evm/README.md', import.meta.url), 'utf8')
  const [newer, older] = Array.from(page.matchAll(/^```sql\n(.*?)^```$/gms), ([, query]) => query!)
  await using resources = new AsyncDisposableStack()
  const postgres = resources.use(await startPostgres(binaries!))
  const client = new pg.Client(postgres.url)
  await client.connect()
  resources.defer(() => client.end())
  await client.query('create table transactions (value jsonb)')
  for (const amount of amounts) {
    const exact = { AmountExact: `0x${amount.toString(16).padStart(64, '0')}` }
    const value = amount > max ? { Amount: `${max}`, ...exact } : { Amount: `${amount}` }
    await client.query('insert into transactions values ($1)', [value])
  }
  const version = await client.query('show server_version_num')
  const queries = Number(version.rows[0].server_version_num) >= readsHex ? [newer!, older!] : [older!]
  for (const query of queries) {
    const { rows } = await client.query(`select trunc(amount)::text as amount from (${query}) as amounts`)
    expect(rows.map(({ amount }) => amount)).toEqual(amounts.map(String))
  }
})
