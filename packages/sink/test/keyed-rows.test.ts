import { postgresSink } from '@headrace/sink/postgres'
import pg from 'pg'
import { expect, test } from 'vitest'
import { findPostgres, startPostgres } from '../../testbed/postgres/postgres.ts'
import { createRandom } from '../../testbed/random.ts'
import { reportSkipped } from '../../testbed/skipped-tests.ts'
import type { SinkRecord } from '../src/index.ts'

const topic = 'acme.shop.1_0_0.shop_Stock'
const binaries = findPostgres()
if (!binaries) reportSkipped('Sink', 'there is no PostgreSQL in /usr/lib/postgresql')

test.skipIf(!binaries)(
  'a row per key is the newest canonical record, after any appends, deletes and reverts',
  async () => {
    await using postgres = await startPostgres(binaries!)
    const sink = postgresSink({ url: postgres.url, primaryKey: 'key' })
    const fields = [{ name: 'Count', number: 1, type: 'int64' }] as const
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const context = { name: 'stock', topics: [{ topic, fields, partitions: 1 }], readOnly: false, log }
    const random = createRandom(7)
    const client = new pg.Client(postgres.url)
    await client.connect()
    const canonical: SinkRecord[] = []
    let seq = 0

    function append(): SinkRecord {
      const key = `key ${random.integer(4)}`
      const value = random.integer(5) === 0 ? null : { Count: `${seq}` }
      const record = { ...place(), op: 'append', key, value } as const
      canonical.push(record)
      return record
    }

    function place() {
      const time = '2026-01-01T00:00:00Z'
      return { topic, partition: 0, seq: `${seq}`, unit: `${seq}`, offset: `${seq}`, time, cursor: `${seq++}` }
    }

    function revertSome(): SinkRecord[] {
      const reverted = canonical.splice(-random.integer(6) - 1).reverse()
      return reverted.map(({ key, value, seq }) => ({ ...place(), op: 'revert', reverts: seq!, key, value }))
    }

    for (let batch = 0; batch < 15; batch++) {
      // Opened again for some batches, as after a crash.
      const destination = await sink.open({ ...context, signal: AbortSignal.timeout(60_000) })
      await destination.prepare()
      for (let again = 0; again < 2; again++) {
        const records: SinkRecord[] = []
        for (let step = 0; step < 3; step++) {
          for (let one = random.integer(5); one > 0; one--) records.push(append())
          if (random.integer(2) === 0) records.push(...revertSome())
        }
        await destination.apply({ topic, records, cursor: `${batch} ${again}` })
        const newest = new Map(canonical.map(({ key, value, seq }) => [key, value && { key, seq, count: value.Count }]))
        const { rows } = await client.query(
          'select _key as key, _seq::text as seq, count::text from shop_stock order by _key',
        )
        expect(rows).toEqual(
          [...newest.values()].filter((row) => row !== null).sort((a, b) => (a.key! < b.key! ? -1 : 1)),
        )
      }
      await destination.close()
    }
    await client.end()
  },
)
