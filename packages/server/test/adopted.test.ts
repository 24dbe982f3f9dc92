import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Adoption, writeAdoption } from '@headrace/catalog'
import avsc from 'avsc'
import { CompressionTypes, Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { connect } from './clients/json-rpc-client.ts'
import type { PageJson } from './clients/shapes.ts'
import { type ServedShop, serveShop } from './shop/served-shop.ts'
import { uniqueTopic } from './shop/unique-topic.ts'

const bootstrap = inject('kafka')
const common = { framing: 'raw', keyForm: 'string', bytes: 'hex', partitions: 1 } as const
const uniqueName = () => `orders-${randomBytes(4).toString('hex')}`

async function adopt(shop: ServedShop, adoption: Adoption): Promise<void> {
  await writeAdoption(shop.queue, adoption.topic, adoption)
  await shop.waitForTopic(adoption.topic)
}

interface ForeignRecord {
  readonly partition: number
  readonly seq: null
  readonly offset: string
  readonly time: string
  readonly value: { readonly n: number } | null
  readonly error?: { readonly code: string; readonly message: string }
}
const numbersOf = (records: readonly unknown[]) => (records as readonly ForeignRecord[]).map(({ value }) => value?.n)

describe.skipIf(bootstrap === null)('a topic that another program writes to Kafka', () => {
  const kafka = new Kafka({ brokers: [bootstrap ?? ''], logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  let shop: ServedShop
  beforeAll(async () => {
    await admin.connect()
    shop = await serveShop({ queueUrl: `kafka://${bootstrap}`, topics: [uniqueTopic()], limits: { rateMs: 200 } })
  })
  afterAll(async () => {
    await admin.disconnect()
    await shop[Symbol.asyncDispose]()
  })

  async function openTopic(partitions: number) {
    const topic = uniqueName()
    const configEntries = [
      { name: 'max.message.bytes', value: '12000000' },
      { name: 'message.timestamp.after.max.ms', value: String(2n ** 63n - 1n) },
    ]
    await admin.createTopics({ topics: [{ topic, numPartitions: partitions, configEntries }], waitForLeaders: true })
    const producer = kafka.producer({ idempotent: true, transactionalId: topic, maxInFlightRequests: 1 })
    await producer.connect()
    onTestFinished(() => producer.disconnect())
    await adopt(shop, { ...common, topic, format: 'json', partitions })
    return { topic, producer }
  }

  test('is served whatever it contains, and each record keeps its place', async () => {
    const { topic, producer } = await openTopic(1)
    const own = { at: Buffer.of(1, 5), op: 'revert', reverts: Buffer.of(1), error: 'broken', '\u0000é': Buffer.of(255) }
    const large = JSON.stringify({ n: 4, text: 'x'.repeat(10_000_000) })
    await producer.send({
      topic,
      compression: CompressionTypes.GZIP,
      messages: [
        { value: '{"n":0}', headers: own, timestamp: '0' },
        { value: null, key: 'k' },
        { value: '{"n":NaN}', headers: { at: [Buffer.of(1, 2), Buffer.of(3, 4)] } },
        { value: Buffer.from('ff', 'hex'), timestamp: '9000000000000000' },
      ],
    })
    const aborted = await producer.transaction()
    await aborted.send({ topic, messages: [{ value: '{"n":99}' }] })
    await aborted.abort()
    await producer.send({ topic, messages: [{ value: large }] })

    const records: ForeignRecord[] = []
    for (let [at, hasMore] = ['', true]; hasMore; ) {
      const page = await shop.json<PageJson>(`/api/v1/data/${topic}?order=asc&limit=2${at}`)
      records.push(...(page.data as unknown as ForeignRecord[]))
      at = `&cursor=${page.nextCursor}`
      hasMore = page.hasMore
    }
    expect(records.map(({ value, error }) => value?.n ?? error?.message ?? null)).toEqual([
      0,
      null,
      'the value is not JSON: found "N" at byte 5, where a value is expected',
      expect.stringContaining('found the byte 255'),
      4,
    ])
    expect(records.map(({ offset }) => offset)).toEqual(['0', '1', '2', '3', '6'])
    for (const { seq, ...record } of records)
      expect({ seq, ...record }).toMatchObject({ seq: null, unit: null, op: 'append' })
    const { connector, message, format } = await shop.json<Record<string, unknown>>(`/api/v1/topics/${topic}`)
    expect({ connector, message, format }).toEqual({ connector: null, message: null, format: 'json' })
    const filter = encodeURIComponent('value.n < 4')
    expect(numbersOf((await shop.json<PageJson>(`/api/v1/data/${topic}?filter=${filter}&fields=n`)).data)).toEqual([0])
    expect((await shop.get(`/api/v1/data/${topic}?from=final`)).status).toBe(400)
    const lines = await (await shop.get(`/api/v1/data/${topic}?format=ndjson&from=last:2`)).text()
    expect(lines.trim().split('\n')).toHaveLength(2)
  })

  test('is followed live, and ends its streams when it grows partitions, is removed or is created again', async () => {
    const { topic, producer } = await openTopic(1)
    const send = (...ns: number[]) => producer.send({ topic, messages: ns.map((n) => ({ value: `{"n":${n}}` })) })
    const open = () => connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
    using whole = await open()
    const { result } = await whole.call('subscribe', { topics: [topic] })
    using selected = await open()
    await selected.call('subscribe', { topics: [topic], filter: 'value.n == 2' })
    await send(1, 2, 3)
    const live = await whole.notifications('subscription', 3)
    expect(numbersOf(live)).toEqual([1, 2, 3])
    expect(numbersOf(await selected.notifications('subscription', 1))).toEqual([2])

    await admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] })
    expect(await whole.closed).toMatchObject({ code: 1013 })
    // The first one does not know the partition yet.
    const other = kafka.producer()
    await other.connect()
    await other.send({ topic, messages: [{ partition: 2, value: '{"n":4}' }] })
    await other.disconnect()
    using resumed = await open()
    await resumed.call('subscribe', { topics: [topic], from: live[0]!.cursor })
    expect(numbersOf(await resumed.notifications('subscription', 3)).toSorted()).toEqual([2, 3, 4])

    await admin.deleteTopics({ topics: [topic] })
    await resumed.closed
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true })
    const cursor = result!.topics[0]!.cursor
    await expect.poll(async () => (await shop.get(`/api/v1/data/${topic}?order=asc&cursor=${cursor}`)).status).toBe(410)
    await writeAdoption(shop.queue, topic, undefined)
    await expect.poll(async () => (await shop.get(`/api/v1/data/${topic}`)).status).toBe(404)
  })

  test('has a cursor for each of 64 partitions, and is not served with more', async () => {
    const { topic, producer } = await openTopic(64)
    await producer.send({ topic, messages: [0, 63].map((n) => ({ partition: n, value: `{"n":${n}}` })) })
    const page = await shop.json<PageJson>(`/api/v1/data/${topic}?order=asc&limit=1`)
    const next = await shop.json<PageJson>(`/api/v1/data/${topic}?order=asc&cursor=${page.nextCursor}`)
    expect([...numbersOf(page.data), ...numbersOf(next.data)]).toEqual([0, 63])
    await admin.createPartitions({ topicPartitions: [{ topic, count: 65 }] })
    await expect.poll(async () => (await shop.get(`/api/v1/data/${topic}`)).status).toBe(404)
  })
})

test('while a schema registry is away, records wait and none fails to decode', async () => {
  const schema = { type: 'record', name: 'Order', fields: [{ name: 'n', type: 'int' }] } as const
  let isDown = true
  const server = createServer((_, response) => {
    response.writeHead(isDown ? 503 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isDown ? { error_code: 50001, message: 'no' } : { schema: JSON.stringify(schema) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  await using shop = await serveShop()
  const topic = uniqueName()
  await shop.queue.createTopics([{ name: topic }])
  const schemaRegistry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await adopt(shop, {
    ...{ ...common, topic, format: 'avro', framing: 'confluent' },
    ...{ schema: JSON.stringify(schema), message: 'Order', schemaRegistry },
  })
  using live = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  await live.call('subscribe', { topics: [topic] })
  const type = avsc.Type.forSchema(schema as unknown as avsc.Schema)
  const values = [1, 2].map((n) => Buffer.concat([Buffer.of(0, 0, 0, 0, 7), type.toBuffer({ n })]))
  await shop.queue.append(values.map((value) => ({ topic, key: null, value, time: Date.now() })))
  const refused = await shop.get(`/api/v1/data/${topic}`)
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, 'overloaded'])
  await shop.logs('topic cannot be followed, trying again', { topic })
  isDown = false
  expect(numbersOf(await live.notifications('subscription', 2))).toEqual([1, 2])
  expect(numbersOf((await shop.json<PageJson>(`/api/v1/data/${topic}`)).data)).toEqual([2, 1])
  const types = await shop.json<{ avro: string; message: string }>(`/api/v1/topics/${topic}`)
  expect(types).toMatchObject({ message: 'Order', avro: JSON.stringify(schema) })
})
