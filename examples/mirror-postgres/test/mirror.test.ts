import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { environment } from './environment.ts'
import { findPostgres, startPostgres } from './postgres.ts'
import { startProgram } from './program.ts'

const binaries = findPostgres()
const missing = binaries ? undefined : 'there is no PostgreSQL in /usr/lib/postgresql'
if (missing && environment.ci) throw new Error(`The mirror cannot be tested: ${missing}.`)

test.skipIf(missing !== undefined)('a mirror that waits for another one ends when it is told to', async () => {
  await using resources = new AsyncDisposableStack()
  const postgres = resources.use(await startPostgres(binaries!))
  const other = new pg.Client(postgres.url)
  await other.connect()
  resources.defer(() => other.end())
  await other.query("select pg_advisory_lock(hashtext('mirror blocks'))")
  const mirror = startProgram([join(import.meta.dirname, '../src/main.ts')], {
    ...{ HEADRACE_URL: 'http://127.0.0.1:1', HEADRACE_API_KEY: 'hr_test_key', HEADRACE_TOPIC: 'any' },
    ...{ DATABASE_URL: postgres.url, MIRROR_TABLE: 'blocks' },
  })
  resources.use(mirror)
  const asked =
    "select from pg_stat_activity where application_name = 'headrace mirror' and query like '%advisory_lock%'"
  while ((await other.query(asked)).rowCount === 0) await delay(20)
  expect(await mirror.stop()).toBe(0)
})
