import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type ConnectorState,
  createClient,
  RefusedError,
  type Topic,
  type TopicSummary,
  UnavailableError,
  type Usage,
} from '@headrace/client'
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import { orders, returns, type ServedShop, serveShop } from '../../server/test/shop/served-shop.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop({ limits: { rateMs: 20 } })
  await shop.publish(orders, 20)
})
afterAll(() => shop[Symbol.asyncDispose]())

const open = (url = shop.url, retryForMs = 60_000) => createClient({ url, apiKey: shop.key, retryForMs })

test('the topics, a topic, the connectors and the usage are those of the gateway', async () => {
  const client = open()
  // What was read before the records were published may be given a moment longer.
  await expect.poll(async () => (await client.connectors())[0]?.unit).toBe('1')
  await expect.poll(async () => (await client.topics())[0]?.records).toBe(20)
  const [topics, topic, connectors, usage] = await Promise.all([
    client.topics(),
    client.topic(orders),
    client.connectors(),
    client.usage({ from: '-7d', to: '2999-01-01T00:00:00Z' }).catch((error: unknown) => error),
  ])
  expect(topics.map(({ topic, records, newest }) => [topic, records, newest?.unit])).toEqual([
    [orders, 20, '1'],
    [returns, 0, undefined],
  ])
  expect(topic).toMatchObject({ topic: orders, records: 20, bounds: [{ partition: 0, earliest: '0' }] })
  expect(connectors).toMatchObject([{ topics: [orders, returns], unit: '1', position: 1 }])
  expect(usage).toMatchObject({ code: 'invalid_parameter' })
  expect(await client.usage()).toMatchObject({ key: { id: shop.keyId }, hours: expect.any(Array) })
})

/** The keys of a type, checked by the compiler, and which of them are optional. */
const keysOf =
  <Members>() =>
  <const Name extends keyof Members>(...names: Name[]): keyof Members extends Name ? Name[] : never =>
    names as never

test('the types of the answers have the members of the OpenAPI document', async () => {
  interface Schema {
    readonly properties: Readonly<Record<string, unknown>>
  }
  const { components } = await shop.json<{ components: { schemas: Record<string, Schema> } }>('/api/v1/openapi.json')
  const summary = keysOf<TopicSummary>()(
    ...([
      'topic',
      'connector',
      'instance',
      'format',
      'message',
      'key',
      'time',
      'bytes',
      'partitions',
      'successor',
    ] as const),
    ...(['records', 'newest', 'rate', 'retention'] as const),
  )
  const added = keysOf<Omit<Topic, keyof TopicSummary>>()(
    ...(['bounds', 'earliestCursor', 'headCursor', 'proto', 'descriptors', 'avro', 'jsonSchema'] as const),
  )
  const connector = keysOf<ConnectorState>()(
    ...(['connector', 'instance', 'topics', 'unit', 'position', 'final', 'lastCommit', 'source'] as const),
    ...(['endpoints', 'rate', 'reorganisations'] as const),
  )
  const usage = keysOf<Usage>()('key', 'from', 'to', 'total', 'hours', 'quota')
  for (const names of [summary, added, connector, usage]) expectTypeOf(names).not.toBeNever()
  expect(Object.keys(components.schemas.TopicSummary!.properties)).toEqual(summary)
  expect(Object.keys(components.schemas.Topic!.properties)).toEqual([...summary, ...added])
  expect(Object.keys(components.schemas.Connector!.properties)).toEqual(connector)
  expect(Object.keys(components.schemas.Usage!.properties)).toEqual(usage)
})

test('a request is repeated while the gateway is busy, and a refusal is final', async () => {
  await expect(open().topic('acme.shop.1_0_0.none')).rejects.toEqual(
    expect.objectContaining({ name: 'RefusedError', code: 'topic_not_found', status: 404 }),
  )
  const answers = [[503, ''] as const, [200, '{"topics":[]}'] as const, [200, '[]'] as const, [503, ''] as const]
  await using server = await answering(answers)
  const client = open(server.url)
  expect(await client.topics()).toEqual([])
  await expect(client.topics()).rejects.toThrow(RefusedError)
  await expect(open(server.url, 0).connectors()).rejects.toThrow(UnavailableError)
  const stop = AbortSignal.abort(new Error('enough'))
  await expect(client.usage({ signal: stop })).rejects.toThrow('enough')
  expect(answers).toEqual([])
})

async function answering(answers: (readonly [status: number, body: string])[]) {
  const server = createServer((_request, response) => {
    const [status, body] = answers.shift() ?? [500, '']
    response.writeHead(status).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
