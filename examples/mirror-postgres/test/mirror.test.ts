import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { execa } from 'execa'
import pg from 'pg'
import { expect, test } from 'vitest'
import { environment } from './environment.ts'
import { findPostgres, startPostgres } from './postgres.ts'
import { startProgram } from './program.ts'

const binaries = findPostgres()
const missing = binaries ? undefined : 'there is no PostgreSQL in /usr/lib/postgresql'
if (missing && environment.ci) throw new Error(`The mirror cannot be tested: ${missing}.`)

const program = join(import.meta.dirname, '../src/main.ts')
const variables = {
  ...{ HEADRACE_URL: 'http://127.0.0.1:1', HEADRACE_API_KEY: 'hr_test_key', HEADRACE_TOPIC: 'any' },
  ...{ MIRROR_TABLE: 'blocks' },
}

test.skipIf(missing !== undefined)('a mirror that waits for another one ends on a signal', async () => {
  await using resources = new AsyncDisposableStack()
  const postgres = resources.use(await startPostgres(binaries!))
  const other = new pg.Client(postgres.url)
  await other.connect()
  resources.defer(() => other.end())
  await other.query("select pg_advisory_lock(hashtext('mirror blocks'))")
  const mirror = startProgram([program], { ...variables, DATABASE_URL: postgres.url })
  resources.use(mirror)
  const waiting =
    "select from pg_stat_activity where application_name = 'headrace mirror' and query like '%advisory_lock%'"
  while ((await other.query(waiting)).rowCount === 0) await delay(20)
  expect(await mirror.stop()).toBe(0)
})

test.each([
  ['a setting that is missing', '', /^error: Set DATABASE_URL\.$/],
  ['a database that does not answer', 'postgres://127.0.0.1:1/none', /^error: .*\(ECONNREFUSED\)$/],
])('%s is reported in one line, and ends the mirror', async (_, databaseUrl, line) => {
  const env = { ...variables, DATABASE_URL: databaseUrl }
  const { exitCode, stderr } = await execa(process.execPath, [program], { env, reject: false })
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(line) })
})

test.skipIf(missing !== undefined)(
  'a connection that the database closes is reported in one line, and ends the mirror',
  async () => {
    await using postgres = await startPostgres(binaries!)
    const other = new pg.Client(postgres.url)
    await other.connect()
    const running = execa(process.execPath, [program], {
      env: { ...variables, DATABASE_URL: postgres.url },
      reject: false,
    })
    // After it has logged that the gateway does not answer, it waits.
    await once(createInterface(running.stderr), 'line')
    await other.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'headrace mirror'",
    )
    const { exitCode, stderr } = await running
    await other.end()
    expect(exitCode).toBe(1)
    expect(stderr.split('\n').at(-1)).toMatch(/^error: terminating connection .*\(57P01\)$/)
  },
)
