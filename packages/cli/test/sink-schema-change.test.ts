import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { findPostgres, startPostgres } from '../../testbed/postgres/postgres.ts'
import { reportSkipped } from '../../testbed/skipped-tests.ts'
import { runInProcess } from './command-in-process.ts'
import { createClockProject } from './faults/clock-project.ts'
import { startConnector } from './whole-path/connector-process.ts'

const topic = 'acme.clock.1_0_0.main_Tick'
const binaries = findPostgres()
if (!binaries) reportSkipped('Sink', 'there is no PostgreSQL in /usr/lib/postgresql')

test.skipIf(!binaries)('a new field becomes a column of the table while the sink runs', async () => {
  await using resources = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'headrace-sink-'))
  resources.defer(() => rm(folder, { recursive: true }))
  const queue = ['--queue', `embedded:${folder}`]
  const { dir } = resources.use(await createClockProject())
  const postgres = resources.use(await startPostgres(binaries!))
  const database = new pg.Client(postgres.url)
  await database.connect()
  resources.defer(() => database.end())
  const rowsWith = (condition: string) =>
    database.query(`select from main_tick where ${condition} limit 1`).catch(() => ({ rowCount: 0 }))
  const until = async (condition: string) => {
    while ((await rowsWith(condition)).rowCount === 0) await delay(50)
  }
  async function runUntil(condition: string): Promise<void> {
    const { child, ended } = startConnector(['run', dir, ...queue])
    await until(condition)
    child.kill()
    await ended
  }

  const first = startConnector(['run', dir, ...queue])
  while ((await runInProcess(['topics', 'describe', topic, ...queue])).code !== 0) await delay(50)
  const stop = new AbortController()
  const options = [postgres.url, '--topic', topic, ...queue]
  const sink = runInProcess(['sink', ...options], { signal: stop.signal })
  await until('number = 1')
  first.child.kill()
  await first.ended

  const replace = async (file: string, from: string, to: string) => {
    const text = await readFile(join(dir, file), 'utf8')
    expect(text).toContain(from)
    await writeFile(join(dir, file), text.replace(from, to))
  }
  await replace('clock.proto', 'uint64 Number = 1;', 'uint64 Number = 1; string Note = 2;')
  await replace(
    'connector.js',
    '.uint64(BigInt(message.Number))',
    `.uint64(BigInt(message.Number)).uint32(18).string('new')`,
  )
  await replace('manifest.yaml', 'version: 1.0.0', 'version: 1.1.0\ntopicVersion: 1.0.0')
  await runUntil(`note = 'new'`)
  stop.abort()
  expect(await sink).toMatchObject({ code: 0, stderr: expect.stringContaining('schema_changed') })
  expect(await runInProcess(['verify', '--sink', ...options])).toMatchObject({ code: 0 })
  expect((await rowsWith(`note = ''`)).rowCount).toBe(1)
})
