import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { execa } from 'execa'
import { type Artifact, kafkaVersion, mavenClasspath } from '../../../packages/testbed/kafka/distribution.ts'
import { freePorts } from '../../../packages/testbed/kafka/free-ports.ts'
import type { Postgres } from '../../../packages/testbed/postgres/postgres.ts'
import { connectTypes } from './transfers.ts'

const sinkVersion = '3.5.0.Final'

const artifacts: readonly Artifact[] = [
  ['org.apache.kafka', 'connect-runtime', kafkaVersion],
  ['org.apache.kafka', 'connect-json', kafkaVersion],
  ['io.debezium', 'debezium-connector-jdbc', sinkVersion],
  ['org.postgresql', 'postgresql', '42.7.14'],
]

export interface JdbcSinkOptions {
  readonly bootstrap: string
  readonly topic: string
  readonly postgres: Postgres
  readonly signal: AbortSignal
}

export interface JdbcSink extends AsyncDisposable {
  /** Fills a table that does not exist from the topic. `isFull` is called repeatedly. */
  fill(table: string, isFull: () => Promise<boolean>): Promise<void>
}

/** Debezium's JDBC sink in Kafka Connect, a process which stays warm between measurements. */
export async function startJdbcSink({ bootstrap, topic, postgres, signal }: JdbcSinkOptions): Promise<JdbcSink> {
  const classpath = await mavenClasspath(`kafka-connect-${kafkaVersion}-jdbc-${sinkVersion}`, artifacts, signal)
  const folder = await mkdtemp(join(tmpdir(), 'headrace-bench-'))
  const [port] = await freePorts(1)
  const properties = join(folder, 'worker.properties')
  await writeFile(
    properties,
    propertiesText({ ...workerConfig(bootstrap, folder), listeners: `http://127.0.0.1:${port}` }),
  )
  const main = ['-Xmx1g', '-cp', classpath.join(delimiter), 'org.apache.kafka.connect.cli.ConnectStandalone']
  const connect = execa('java', [...main, properties], { reject: false, stdin: 'ignore', all: true, maxBuffer: 1e6 })
  const rest = restOf(`http://127.0.0.1:${port}`)
  await untilTrue(async () => {
    if (connect.exitCode !== null) throw new Error(`Kafka Connect has ended:\n${(await connect).all}`)
    return rest('GET', '/').then(
      () => true,
      () => false,
    )
  })
  let connectors = 0
  return {
    async fill(table, isFull) {
      const name = `sink-${connectors++}`
      await rest('POST', '/connectors', {
        name,
        config: { ...sinkConfig(postgres, topic), 'collection.name.format': table },
      })
      await untilTrue(async () => {
        // It has none for some moments after it was created.
        const status = await rest<Status | undefined>('GET', `/connectors/${name}/status`)
        const failed = status?.tasks.find(({ trace }) => trace)
        if (failed) throw new Error(`The JDBC sink has failed: ${failed.trace}`)
        return isFull()
      })
      await rest('DELETE', `/connectors/${name}`)
    },
    async [Symbol.asyncDispose]() {
      connect.kill('SIGKILL')
      await connect
      await rm(folder, { recursive: true })
    },
  }
}

function workerConfig(bootstrap: string, folder: string): Record<string, string> {
  const json = 'org.apache.kafka.connect.json.JsonConverter'
  return {
    'bootstrap.servers': bootstrap,
    'key.converter': json,
    'value.converter': json,
    'offset.storage.file.filename': join(folder, 'offsets'),
    'plugin.discovery': 'service_load',
  }
}

/** Records of a transaction. */
const batchRecords = 2000

function sinkConfig({ port }: Postgres, topic: string): Record<string, string> {
  const fields = connectTypes.map(([field, type, name]) => ({ field, type, optional: false, name }))
  return {
    'connector.class': 'io.debezium.connector.jdbc.JdbcSinkConnector',
    'tasks.max': '1',
    topics: topic,
    'connection.url': `jdbc:postgresql://127.0.0.1:${port}/postgres?reWriteBatchedInserts=true`,
    'connection.username': 'headrace',
    'connection.password': 'none',
    'insert.mode': 'insert',
    'primary.key.mode': 'kafka',
    'schema.evolution': 'basic',
    'batch.size': `${batchRecords}`,
    'consumer.override.max.poll.records': `${batchRecords}`,
    'consumer.override.max.partition.fetch.bytes': `${16 << 20}`,
    // Aborted transactions must not be stored.
    'consumer.override.isolation.level': 'read_committed',
    // Of all messages, so that each of them is as short as possible (KIP-1054).
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter.schema.content': JSON.stringify({ type: 'struct', fields }),
  }
}

interface Status {
  readonly tasks: readonly { readonly trace?: string }[]
}

function restOf(origin: string) {
  return async <Answer = unknown>(method: string, path: string, body?: object): Promise<Answer> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${origin}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await answer.text()
    if (answer.status === 404) return undefined as Answer
    if (!answer.ok) throw new Error(`Kafka Connect answers ${answer.status}: ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as Answer
  }
}

function propertiesText(properties: Readonly<Record<string, string>>): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

async function untilTrue(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(200)
}
