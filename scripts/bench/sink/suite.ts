import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue, type Queue } from '@headrace/queue'
import { execa } from 'execa'
import pg from 'pg'
import { startKafka } from '../../../packages/testbed/kafka/start-kafka.ts'
import { findPostgres, startPostgres } from '../../../packages/testbed/postgres/postgres.ts'
import type { Bench, BenchContext, Measure, OpenSuite, Suite } from '../bench.ts'
import { connectorCommand, repository } from '../evm/connector-command.ts'
import { copyBatches, readBatches } from './copy-peer.ts'
import { startJdbcSink } from './jdbc-sink.ts'
import { readStored } from './stored-rows.ts'
import { publishJson, publishTransfers } from './transfers.ts'

/** From a queue to a table of PostgreSQL. */
export const sinkPostgresSuite: Suite = { name: 'sink-postgres', open }

const jsonTopic = 'bench-transfers-json'

/** Checkpoints would disturb single rounds. */
const settings = ['track_commit_timestamp=on', 'max_wal_size=8GB']

async function open({ quick, signal }: BenchContext): Promise<OpenSuite | { unavailable: string }> {
  const binaries = findPostgres()
  if (!binaries) return { unavailable: 'there is no PostgreSQL in /usr/lib/postgresql' }
  await using resources = new AsyncDisposableStack()
  const kafka = await startKafka({ signal, fullSpeed: true })
  if ('unavailable' in kafka) return kafka
  resources.defer(() => kafka.stop())
  if (kafka.classpath.length === 0) return { unavailable: 'its peer needs Java 17 and Maven on this machine' }
  const { bootstrap } = kafka
  const postgres = resources.use(await startPostgres(binaries, ['fsync=on', ...settings]))
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  resources.defer(() => client.end())
  const folder = await mkdtemp(join(tmpdir(), 'headrace-bench-'))
  resources.defer(() => rm(folder, { recursive: true }))

  const records = quick ? 20_000 : 1_000_000
  const queues = { embedded: `embedded:${folder}`, Kafka: `kafka://${bootstrap}` }
  const topic = await withQueue(queues.embedded, (queue) => publishTransfers(queue, records))
  await withQueue(queues.Kafka, async (queue) => {
    await publishTransfers(queue, records)
    await publishJson(queue, jsonTopic, records)
  })
  const jdbcSink = resources.use(await startJdbcSink({ bootstrap, topic: jsonTopic, postgres, signal }))
  let batchRows = 0
  const opened = resources.move()
  return {
    benches: [bench('embedded', { COPY: copy }), bench('Kafka', { COPY: copy, 'JDBC sink': fillByJdbc })],
    close: () => opened.disposeAsync(),
  }

  function bench(name: keyof typeof queues, peers: Readonly<Record<string, Measure>>): Bench {
    return {
      name: `sink, ${name} to PostgreSQL`,
      unit: 'records/s',
      better: 'higher',
      contestants: { ours: () => sink(queues[name]), ...peers },
      targets: { COPY: 0.5, 'JDBC sink': 3 },
    }
  }

  async function sink(queue: string): Promise<number> {
    await client.query('drop table if exists ours, headrace_sinks')
    const args = ['sink', postgres.url, '--topic', `${topic}=ours`, '--once', '--queue', queue]
    await execa(process.execPath, [connectorCommand, ...args], { cwd: repository })
    const { rowsPerSecond, transactions } = await storedIn('ours')
    batchRows = Math.ceil(records / transactions)
    return rowsPerSecond
  }

  /** The rows of the sink, in as many transactions. */
  async function copy(): Promise<number> {
    await copyBatches(client, { table: 'copied', like: 'ours', batches: await readBatches(client, 'ours', batchRows) })
    return (await storedIn('copied')).rowsPerSecond
  }

  async function fillByJdbc(): Promise<number> {
    await client.query('drop table if exists jdbc')
    await jdbcSink.fill('jdbc', async () => {
      const { rows } = await client.query(`select n_tup_ins from pg_stat_user_tables where relname = 'jdbc'`)
      return Number(rows[0]?.n_tup_ins ?? 0) >= records
    })
    return (await storedIn('jdbc')).rowsPerSecond
  }

  async function storedIn(table: string) {
    const stored = await readStored(client, table)
    if (stored.rows !== records) throw new Error(`The table "${table}" has ${stored.rows} of ${records} rows.`)
    return stored
  }
}

async function withQueue<Result>(url: string, use: (queue: Queue) => Promise<Result>): Promise<Result> {
  const queue = await openQueue(url)
  try {
    return await use(queue)
  } finally {
    await queue.close()
  }
}
