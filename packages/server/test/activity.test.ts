import { randomUUID } from 'node:crypto'
import {
  addRunReport,
  checkpointKey,
  checkpointPartition,
  encodeCheckpoint,
  readRegistry,
  registerTopics,
  systemTopics,
} from '@headrace/catalog'
import { type Queue, QueueUnavailableError, UserError } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { openChain } from './shop/chain.ts'
import { orders, returns, type ServedShop, serveShop } from './shop/served-shop.ts'
import { compileOrders } from './shop/shop.ts'
import { uniqueTopic } from './shop/unique-topic.ts'

const kafka = inject('kafka')
/** 60 intervals are longer than any test. */
const limits = { rateMs: 200 }

interface TopicJson {
  readonly topic: string
  readonly records: number | null
  readonly newest: { readonly time: string; readonly unit: string | null } | null
  readonly rate: { readonly records: readonly number[] }
}

interface ConnectorJson {
  readonly connector: { readonly title?: string }
  readonly instance: string
  readonly topics: readonly string[]
  readonly unit: string | null
  readonly rate: { readonly units: readonly number[] }
  readonly reorganisations: readonly { readonly topic: string; readonly partition: number; readonly first: string }[]
}

const topicOf = (shop: ServedShop, topic: string) => shop.json<TopicJson>(`/api/v1/topics/${topic}`)

async function connectorsAt(url: string, headers: Record<string, string>): Promise<readonly ConnectorJson[]> {
  const response = await fetch(`${url}/api/v1/connectors`, { headers })
  return ((await response.json()) as { connectors: ConnectorJson[] }).connectors
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function connectorOf(shop: ServedShop, topic: string): Promise<ConnectorJson | undefined> {
  return (await connectorsAt(shop.url, bearer(shop.key))).find(({ topics }) => topics.includes(topic))
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

/** Waits until a gateway has measured the topic once, so that what follows is in its rate. */
async function waitForSample(shop: ServedShop, topic: string): Promise<void> {
  await expect.poll(async () => (await topicOf(shop, topic)).rate.records.length).toBeGreaterThan(0)
  await expect.poll(async () => (await connectorOf(shop, topic))?.rate.units.length).toBeGreaterThan(0)
}

const engines = [
  ['the embedded engine', undefined],
  ['Kafka', kafka === null ? null : `kafka://${kafka}`],
] as const

describe.each(engines.filter(([, queueUrl]) => queueUrl !== null))('on %s', (_, queueUrl) => {
  const topic = uniqueTopic()
  let shop: ServedShop
  beforeAll(async () => {
    shop = await serveShop({ ...(queueUrl && { queueUrl }), topics: [topic], limits })
  })
  afterAll(() => shop[Symbol.asyncDispose]())

  test('the rates of a topic and of its connector add up to what was published', async () => {
    expect(await topicOf(shop, topic)).toMatchObject({ instance: 'main', records: 0, newest: null })
    const never = { unit: null, position: null, final: null, lastCommit: null, source: null, endpoints: [] }
    expect(await connectorOf(shop, topic)).toMatchObject(never)
    await waitForSample(shop, topic)
    for (let n = 0; n < 5; n++) await shop.publish(topic, 10)
    await expect.poll(async () => sum((await topicOf(shop, topic)).rate.records)).toBe(50)
    await expect.poll(async () => sum((await connectorOf(shop, topic))!.rate.units)).toBe(5)
    const newest = { time: '2026-08-21T10:00:49.000Z', unit: '5' }
    expect(await topicOf(shop, topic)).toMatchObject({ records: 50, newest, rate: { seconds: 0.2 } })
    expect(await connectorOf(shop, topic)).toMatchObject({ unit: '5', position: 5, final: { unit: '4' }, source: null })
    const { topics } = await shop.json<{ topics: TopicJson[] }>('/api/v1/topics')
    expect(topics.find((one) => one.topic === topic)).toMatchObject({ records: 50, newest })
  })

  test('a gateway that was started later knows the same but the rate', async () => {
    const gateway = await shop.startAnother({ limits: { rateMs: 60_000 } })
    onTestFinished(() => gateway.close())
    const response = await fetch(`${gateway.url}/api/v1/topics/${topic}`, { headers: bearer(shop.key) })
    expect(await response.json()).toMatchObject({ records: 50, newest: { unit: '5' }, rate: { records: [] } })
    const connectors = await connectorsAt(gateway.url, bearer(shop.key))
    expect(connectors.find(({ topics }) => topics.includes(topic))).toMatchObject({ unit: '5', rate: { units: [] } })
  })

  test('records of all partitions count, and reverts are listed newest first', async () => {
    const chain = await openChain(shop.queue, { topic: uniqueTopic(), partitions: 3 })
    await shop.waitForTopic(chain.topic)
    await waitForSample(shop, chain.topic)
    await chain.publish({ partitions: [0, 1, 1] }, { partitions: [2, 2] }, { partitions: [0] })
    await chain.abort({ partitions: [0, 1, 2] })
    await chain.publish({ partitions: [1], revertUnits: 1 })
    await chain.publish({ partitions: [2], revertUnits: 2 })
    const published = sum(chain.log.map(({ length }) => length))
    await expect.poll(async () => sum((await topicOf(shop, chain.topic)).rate.records)).toBe(published)
    const unit = chain.log.flat().at(-1)!.unit
    expect(await topicOf(shop, chain.topic)).toMatchObject({ records: published, newest: { unit: `${unit}` } })
    const placesIn = (found: ConnectorJson | undefined) =>
      found?.reorganisations.map(({ partition, first }) => `${partition}:${first}`).sort()
    await expect.poll(async () => placesIn(await connectorOf(shop, chain.topic))).toEqual(['0:1', '1:2', '2:0'])
    await expect.poll(async () => (await connectorOf(shop, chain.topic))?.unit).toBe('5')
    const { reorganisations } = (await connectorOf(shop, chain.topic))!
    expect(reorganisations.at(-1)).toMatchObject({ topic: chain.topic, partition: 0, first: '1', last: '2' })
  })
})

test('a topic that is created again or emptied is measured from there', async () => {
  const topic = uniqueTopic()
  await using shop = await serveShop({ topics: [topic], limits })
  for (let n = 0; n < 3; n++) await shop.publish(topic, 10)
  await waitForSample(shop, topic)
  await shop.queue.deleteBefore(topic, 0, 30n)
  await expect.poll(async () => (await topicOf(shop, topic)).newest).toBeNull()
  expect(await topicOf(shop, topic)).toMatchObject({ records: 30 })
  // A later description of the queue has another id, and fewer records.
  const described = shop.queue.describe
  let id: string | undefined
  const queue: Queue = {
    ...shop.queue,
    async describe(names) {
      const topics = await described(names)
      const again = { id: id ?? '', partitions: [{ earliest: 0n, end: 0n }] }
      return topics.map((one) => (one.name === topic && id !== undefined ? { ...one, ...again } : one))
    },
  }
  const gateway = await shop.startAnother({ queue, limits })
  onTestFinished(() => gateway.close())
  const ask = async () => {
    const { topics } = (await (await fetch(`${gateway.url}/api/v1/topics`, { headers: bearer(shop.key) })).json()) as {
      topics: TopicJson[]
    }
    return topics[0]!
  }
  // Nothing remains of which a gateway that starts now could read the seq.
  expect(await ask()).toMatchObject({ records: null, newest: null, rate: { records: [] } })
  await shop.publish(topic, 5)
  await expect.poll(async () => (await ask()).records).toBe(35)
  await expect.poll(async () => (await ask()).rate.records.length).toBeGreaterThan(0)
  id = randomUUID()
  await expect.poll(async () => (await ask()).records).toBe(0)
  await expect.poll(async () => (await ask()).rate.records.length).toBeGreaterThan(0)
  expect(sum((await ask()).rate.records)).toBe(0)
})

describe('a caller sees', () => {
  let shop: ServedShop
  const other = uniqueTopic()
  beforeAll(async () => {
    shop = await serveShop({ limits })
    const chain = await openChain(shop.queue, { topic: other, partitions: 1 })
    await chain.publish({ partitions: [0] }, { partitions: [0], revertUnits: 1 })
    await shop.waitForTopic(other)
    await shop.publish(orders, 1)
  })
  afterAll(() => shop[Symbol.asyncDispose]())

  const topicsSeen = async (headers: Record<string, string>, url = shop.url) =>
    (await connectorsAt(url, headers)).map(({ topics }) => topics)

  test('only connectors with a topic that it may read, and only these topics', async () => {
    expect(await topicsSeen(bearer(shop.key))).toEqual([[orders, returns], [other]])
    const { key } = await shop.addKey({ topics: ['acme.shop.*_Order'] })
    expect(await topicsSeen(bearer(key))).toEqual([[orders]])
    expect(await topicsSeen(bearer(await shop.createToken(shop.key, { topics: ['*_Return'] })))).toEqual([[returns]])
    const none = await shop.addKey({ topics: ['acme.nothing.*'] })
    expect(await topicsSeen(bearer(none.key))).toEqual([])
    const keyless = { rate: 1, burst: 1000, topics: [other] }
    const gateway = await shop.startAnother({ keyless })
    onTestFinished(() => gateway.close())
    expect(await topicsSeen({}, gateway.url)).toEqual([[other]])
  })

  test('no reverts in topics that it may not read', async () => {
    const writerId = `${orders.split('.').slice(0, 3).join('.')}/main`
    const interval = (topic: string, first: number) => ({
      topic,
      partition: 0,
      first,
      last: first + 1,
      unit: first + 2,
    })
    const place = { topic: systemTopics.reorgs, partition: checkpointPartition(writerId) }
    for (const [number, topic] of [orders, returns, orders].entries())
      await shop.queue.append([
        {
          ...{ ...place, key: Buffer.from(`${topic}/0/${number}`), time: 1000 * number },
          value: Buffer.from(JSON.stringify(interval(topic, number))),
        },
      ])
    const { key } = await shop.addKey({ topics: [orders] })
    const seen = async (headers: Record<string, string>) =>
      (await connectorsAt(shop.url, headers))[0]!.reorganisations.map(({ topic, first }) => [topic, first])
    await expect
      .poll(() => seen(bearer(shop.key)))
      .toEqual([
        [orders, '2'],
        [returns, '1'],
        [orders, '0'],
      ])
    expect(await seen(bearer(key))).toEqual([
      [orders, '2'],
      [orders, '0'],
    ])
  })

  test('the source and the endpoints of an instance, whatever their names', async () => {
    const { descriptors } = await compileOrders()
    const title = `</script><img src=x onerror=alert(1)> \u202e ${'😀'.repeat(100)}`
    const registration = (await readRegistry(shop.queue)).get(orders)!
    const topic = uniqueTopic()
    const lineage = topic.split('.').slice(0, 3).join('.')
    const connector = { ...registration.connector, title }
    await shop.queue.createTopics([{ name: topic }])
    const retention = { retention: '30d' }
    await registerTopics(shop.queue, [{ ...registration, topic, lineage, connector, descriptors, ...retention }])
    const writerId = `${lineage}/main`
    const checkpoint = { position: title, unit: 9, previous: 8, nextSeq: {}, final: null, time: {} }
    const endpoints = [
      { endpoint: 'https://one.example', up: true },
      { endpoint: title, up: false },
    ]
    const value = addRunReport(encodeCheckpoint(checkpoint), { source: { position: 20, head: 30 }, endpoints })
    const place = { topic: systemTopics.checkpoints, partition: checkpointPartition(writerId) }
    await shop.queue.append([{ ...place, key: checkpointKey(writerId), value, time: 1_000 }])
    await shop.waitForTopic(topic)
    await expect.poll(async () => (await connectorOf(shop, topic))!.unit).toBe('9')
    expect(await connectorOf(shop, topic)).toMatchObject({
      ...{ connector: { title }, unit: '9', position: title, final: null, lastCommit: '1970-01-01T00:00:01.000Z' },
      ...{ source: { position: 20, head: 30, lag: 10 }, endpoints },
    })
    expect(await topicOf(shop, topic)).toMatchObject({ retention: { ms: 2_592_000_000, bytes: null } })
    await shop.queue.append([{ ...place, key: checkpointKey(writerId), value: Buffer.from('{"unit":'), time: 2_000 }])
    await expect.poll(async () => (await connectorOf(shop, topic))!.unit).toBeNull()
    expect(await shop.logs('checkpoint cannot be read', { writerId })).toMatchObject({ level: 40 })
  })
})

test('topics that do not change are not read, and requests share a description of all', async () => {
  const names = Array.from({ length: 40 }, uniqueTopic)
  await using shop = await serveShop({ topics: names, limits })
  for (const topic of names) await shop.publish(topic, 1)
  const silent = await openChain(shop.queue, { topic: 'acme.aaa.1_0_0.silent_Order', partitions: 1 })
  await shop.waitForTopic(silent.topic)
  let [describes, reads] = [0, 0]
  const queue: Queue = {
    ...shop.queue,
    describe: (names) => {
      if (names?.some((name) => name === systemTopics.checkpoints || name.startsWith('acme.'))) describes++
      return shop.queue.describe(names)
    },
    read: (at, options) => {
      if (at.topic.startsWith('acme.')) reads++
      return shop.queue.read(at, options)
    },
  }
  const gateway = await shop.startAnother({ queue, limits: { rateMs: 600_000 } })
  onTestFinished(() => gateway.close())
  const ask = async () => (await fetch(`${gateway.url}/api/v1/topics`, { headers: bearer(shop.key) })).json()
  const answers = await Promise.all(Array.from({ length: 50 }, ask))
  for (const { topics } of answers as { topics: TopicJson[] }[])
    expect(topics.map(({ records }) => records)).toEqual([0, ...Array(40).fill(1)])
  expect(reads).toBe(40)
  expect(describes).toBeLessThan(10)
})

test('without an answer of the queue, the topics are listed with what was known, and rates continue later', async () => {
  const topic = uniqueTopic()
  await using shop = await serveShop({ topics: [topic], limits })
  let isAway = false
  let silence: Promise<void> | undefined
  const queue: Queue = {
    ...shop.queue,
    async describe(names) {
      await silence
      if (isAway) throw new QueueUnavailableError('away')
      return shop.queue.describe(names)
    },
  }
  const gateway = await shop.startAnother({ queue, limits })
  onTestFinished(() => gateway.close())
  const ask = async () => {
    const response = await fetch(`${gateway.url}/api/v1/topics`, { headers: bearer(shop.key) })
    return ((await response.json()) as { topics: TopicJson[] }).topics[0]!
  }
  await shop.publish(topic, 10)
  await expect.poll(async () => (await ask()).rate.records.length).toBeGreaterThan(0)
  const before = sum((await ask()).rate.records)
  isAway = true
  await shop.publish(topic, 20)
  expect(await shop.logs('rates cannot be measured, trying again')).toMatchObject({ level: 40 })
  expect(await ask()).toMatchObject({ records: 10 })
  const { promise, resolve } = Promise.withResolvers<void>()
  silence = promise
  isAway = false
  expect(await ask()).toMatchObject({ records: 10 })
  resolve()
  await expect.poll(async () => sum((await ask()).rate.records)).toBe(before + 20)
})

test('a topic that the gateway may not describe hides no other', async () => {
  await using shop = await serveShop({ limits })
  await shop.publish(returns, 3)
  const queue: Queue = {
    ...shop.queue,
    async describe(names) {
      if (names?.includes(orders)) throw new UserError('permission_denied', 'The permission DESCRIBE is missing.')
      return shop.queue.describe(names)
    },
  }
  const gateway = await shop.startAnother({ queue, limits })
  onTestFinished(() => gateway.close())
  const response = await fetch(`${gateway.url}/api/v1/topics`, { headers: bearer(shop.key) })
  const { topics } = (await response.json()) as { topics: TopicJson[] }
  expect(topics.map(({ topic, records }) => [topic, records])).toEqual([
    [orders, null],
    [returns, 3],
  ])
})
