import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoredRow } from '@headrace/sink'
import { testDestination } from '@headrace/sink/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPostgres, type Postgres, startPostgres } from '../../testbed/postgres/postgres.ts'
import { reportSkipped } from '../../testbed/skipped-tests.ts'
import { parquetPlaces } from './conformance/parquet.ts'
import { postgresPlaces } from './conformance/postgres.ts'
import { webhookPlaces } from './conformance/webhook.ts'
import { type Receiver, startReceiver } from './webhook/receiver.ts'

const binaries = findPostgres()
if (!binaries) reportSkipped('PostgreSQL', 'there is no PostgreSQL in /usr/lib/postgresql')

let postgres: Postgres
let folder: string
beforeAll(async () => {
  if (binaries) postgres = await startPostgres(binaries)
  folder = await mkdtemp(join(tmpdir(), 'headrace-conformance-'))
})
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

test.skipIf(!binaries)('tables keep the contract', async () => {
  const { cases, refused } = await testDestination({ sink: postgresPlaces(postgres.url, 'seq') })
  expect(cases.length).toBeGreaterThan(20)
  expect(refused).toEqual([
    'string "a\\u0000b"',
    'json {"text":"a\\u0000b"}',
    'json {"\\u0000":"key"}',
    ...['Order', 'ORDER', 'headrace_sinks', 'c.b', '..'].map((name) => `topic acme.test.1_0_0.${name}`),
  ])
})

test('Parquet files keep the contract', async () => {
  const { refused } = await testDestination({ sink: parquetPlaces(join(folder, 'parquet')) })
  expect(refused).toEqual([])
})

test('a webhook keeps the contract, if its receiver ignores repeats', async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  await using receiver = await startReceiver({ secret })
  const { refused } = await testDestination({
    sink: webhookPlaces(receiver.url, secret, folder),
    readRows: async (place, topic, partition) => rowsOf(receiver, place, { topic, partition }),
  })
  expect(refused).toEqual([])
  expect(receiver.mistakes).toEqual([])
})

function rowsOf(receiver: Receiver, place: string, of: { topic: string; partition: number }): StoredRow[] {
  const rows = new Map<string, StoredRow>()
  for (const record of receiver.firstArrivals(`/${place}`)) {
    if (record.topic !== of.topic || record.partition !== of.partition) continue
    const { seq, offset, key, value } = record
    if (record.op === 'revert') expect(rows.delete(record.reverts)).toBe(true)
    else rows.set(seq ?? offset, { seq: BigInt(seq ?? offset), key, value })
  }
  return [...rows.values()]
}
