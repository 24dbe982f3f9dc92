import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDestination } from '@headrace/sink/testing'
import { expect, test } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { findPostgres, startPostgres } from '../../../testbed/postgres/postgres.ts'
import { parquetPlaces } from '../conformance/parquet.ts'
import { postgresPlaces } from '../conformance/postgres.ts'

const binaries = findPostgres()
const execArgv = ['--conditions=@headrace/source']

test.skipIf(!binaries)('tables with a row per key keep the contract, also when the sink is killed', async () => {
  const { random, count } = planFaults('conformance', { once: 2, scaled: 3, full: 200 }, [])
  await using postgres = await startPostgres(binaries!)
  const url = new URL(`../conformance/postgres.ts?key=key&url=${encodeURIComponent(postgres.url)}`, import.meta.url)
  const { cases } = await testDestination({
    sink: postgresPlaces(postgres.url, 'key'),
    kill: { module: url, execArgv, count, random: () => random.integer(1000) / 1000 },
  })
  expect(cases.at(-1)).toContain(`killed ${count} times`)
})

test('Parquet files keep the contract when the sink is killed', async () => {
  const { random, count } = planFaults('conformance of Parquet files', { once: 2, scaled: 3, full: 200 }, [])
  await using resources = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'headrace-conformance-'))
  resources.defer(() => rm(folder, { recursive: true }))
  const url = new URL(`../conformance/parquet.ts?folder=${encodeURIComponent(folder)}`, import.meta.url)
  const { cases } = await testDestination({
    sink: parquetPlaces(folder),
    kill: { module: url, execArgv, count, random: () => random.integer(1000) / 1000 },
  })
  expect(cases.at(-1)).toContain(`killed ${count} times`)
})
