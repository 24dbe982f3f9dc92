import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { findPostgres, startPostgres } from '../../testbed/postgres/postgres.ts'
import { reportSkipped } from '../../testbed/skipped-tests.ts'

/** The first version of PostgreSQL that reads hexadecimal numbers. */
const readsHex = 160_000
const max = 2n ** 64n - 1n
const amounts = [0n, 8n, max, max + 1n, 2n ** 100n + 7n, 2n ** 256n - 1n]

const binaries = findPostgres()
if (!binaries) reportSkipped('SQL', 'there is no PostgreSQL in /usr/lib/postgresql')

test.skipIf(!binaries)('the SQL of the EVM example reads amounts of any size', async () => {
  const page = await readFile(new URL('../../../examples/evm/README.md', import.meta.url), 'utf8')
  const [newer, older] = Array.from(page.matchAll(/^```sql\n(.*?)^```$/gms), ([, query]) => query!)
  await using postgres = await startPostgres(binaries!)
  const client = new pg.Client(postgres.url)
  await client.connect()
  await client.query('create table ethereum_transaction (amount numeric(20), amount_exact bytea)')
  for (const amount of amounts) {
    const exact = amount > max ? Buffer.from(amount.toString(16).padStart(64, '0'), 'hex') : null
    await client.query('insert into ethereum_transaction values ($1, $2)', [`${amount > max ? max : amount}`, exact])
  }
  const version = await client.query('show server_version_num')
  const queries = Number(version.rows[0].server_version_num) >= readsHex ? [newer!, older!] : [older!]
  for (const query of queries) {
    const { rows } = await client.query(`select trunc(amount)::text as amount from (${query}) as amounts`)
    expect(rows.map(({ amount }) => amount)).toEqual(amounts.map(String))
  }
  await client.end()
})
