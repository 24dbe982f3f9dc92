import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { file_google_protobuf_timestamp } from '@bufbuild/protobuf/wkt'
import { createSchemaRegistryClient, fileSchema } from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { cachedFolder } from '../../../testbed/cached-folder.ts'
import { preparePython } from '../../../testbed/children/python.ts'
import { environment } from '../../../testbed/environment.ts'
import { reportSkipped } from '../../../testbed/skipped-tests.ts'
import { type Market, publishMarket, trades } from './market.ts'

const kafka = inject('kafka')
const pythonFolder = inject('pythonFolder')
/** Once on a machine, a package is installed. */
const installing = { timeout: 400_000 }
const program = (name: string) => join(import.meta.dirname, name)

/** Id and price of each record of a topic, in order: one trade is reverted, and published again. */
const published = [
  [1, 100],
  [2, 200],
  [3, 300],
  [trades, 400],
  [trades, 400],
  [trades, 999],
  [trades + 1, 500],
] as const

/** On a Kafka, the records of a run are read by programs of others, which know the URL of a gateway and no schema. */
describe.skipIf(kafka === null)('a Kafka tool decodes the records of a topic and of a nested message', () => {
  let market: Market
  let registry: string
  beforeAll(async () => {
    market = await publishMarket(kafka!)
    registry = `${market.gateway.url.replace('//', `//${market.key}:unused@`)}/schema-registry`
  })
  afterAll(() => market[Symbol.asyncDispose]())

  test.skipIf(pythonFolder === null)('with the deserializer of confluent-kafka for Python', async () => {
    const topics = [market.trades, market.levels]
    const { stdout } = await execa(join(pythonFolder!, 'python3'), [
      program('deserialize.py'),
      kafka!,
      registry,
      ...topics,
    ])
    expect(stdout.split('\n').map((line) => JSON.parse(line))).toEqual([
      ...published.map(([id, cents]) => ({
        message: 'acme.market.Trade',
        value: {
          id: `${id}`,
          time: new Date((1_800_000_000 + id) * 1000).toISOString().replace('.000', ''),
          price: { currency: 'EUR', cents: `${cents}` },
          tags: { venue: `v${id}` },
          side: 'SIDE_BUY',
          ...(id > trades && { note: 'new' }),
        },
      })),
      ...published.map(([depth, cents]) => ({
        message: 'acme.market.Book.Level',
        value: { depth, price: { currency: 'EUR', cents: `${cents}` } },
      })),
    ])
  })

  test('with the deserializer of @confluentinc/schemaregistry for Node', installing, async () => {
    const records = [...(await recordsOf(market.trades)), ...(await recordsOf(market.levels))]
    const input = JSON.stringify(
      records.map(({ topic, value, headers }) => {
        return {
          topic,
          value: base64(value!),
          headers: Object.fromEntries(headers.map((one) => [one.key, base64(one.value)])),
        }
      }),
    )
    const { stdout } = await execa(process.execPath, [program('deserialize.js'), await installClient(), registry], {
      input,
    })
    expect(stdout.split('\n').map((line) => JSON.parse(line))).toEqual([
      ...published.map(([id, cents]) =>
        expect.objectContaining({
          $typeName: 'acme.market.Trade',
          id: `${id}`,
          price: expect.objectContaining({ cents: `${cents}` }),
          tags: { venue: `v${id}` },
          side: 1,
        }),
      ),
      ...published.map(([depth, cents]) =>
        expect.objectContaining({
          $typeName: 'acme.market.Book.Level',
          depth,
          price: expect.objectContaining({ cents: `${cents}` }),
        }),
      ),
    ])
  })

  test.skipIf(pythonFolder === null)(
    'with ClickHouse, as ProtobufSingle with the text of the schema',
    installing,
    async ({ skip }) => {
      const python = await preparePython(['chdb-core-lite==26.5.0'])
      if ('unavailable' in python) {
        reportSkipped('ClickHouse', python.unavailable)
        return skip()
      }
      const { text, referenced } = await createSchemaRegistryClient({ url: registry }).readVersion(
        `${market.trades}-value`,
        'latest',
      )
      // A server of ClickHouse has Google's files, and this library does not.
      const timestamp = fileSchema(file_google_protobuf_timestamp)
      const files = {
        'market.proto': text,
        ...Object.fromEntries(referenced),
        [timestamp.file.proto.name]: timestamp.text,
      }
      const columns = '"id UInt64, `price.cents` Int64, `time.seconds` Int64, tags Map(String, String)"'.replaceAll(
        '"',
        "'",
      )
      const query = `SELECT * FROM file('FOLDER/*.bin', ProtobufSingle, ${columns}) ORDER BY id, \`price.cents\`
      SETTINGS format_schema = 'market.proto:Trade'`
      const values = (await recordsOf(market.trades)).map(({ value }) => base64(value!))
      const input = JSON.stringify({ files, values, query })
      const { stdout } = await execa(join(python.folder, 'python3'), [program('query.py')], { input })
      expect(
        stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual(
        published.map(([id, cents]) => ({
          id,
          'price.cents': cents,
          'time.seconds': 1_800_000_000 + id,
          tags: { venue: `v${id}` },
        })),
      )
    },
  )

  async function recordsOf(topic: string): Promise<QueueRecord[]> {
    const [description] = await market.project.queue.describe([topic])
    const records: QueueRecord[] = []
    for (let offset = 0n; offset < description!.partitions[0]!.end; ) {
      const { batches, next } = await market.project.queue.read({ topic, partition: 0, offset }, { maxBytes: 1 << 20 })
      records.push(...batches.flatMap((batch) => [...batch.records()]))
      offset = next
    }
    return records
  }
})

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** Not a dependency of the repository: with the clients of three clouds, it has 170 MB. */
function installClient(): Promise<string> {
  const dependencies = { '@confluentinc/schemaregistry': '1.10.1' }
  return cachedFolder('schemaregistry-1.10.1', async (folder) => {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
    const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await execa('npm', ['install', ...flags], { cwd: folder, env: environment.outside, extendEnv: false })
  })
}
