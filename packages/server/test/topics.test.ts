import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, METHODS, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  commentOf,
  compileProtos,
  readRegistry,
  registerTopics,
  schemaFromDescriptors,
  type TopicRegistration,
} from '@headrace/catalog'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Gateway } from '../src/gateway.ts'
import type { PageJson, ProblemJson } from './clients/shapes.ts'
import { orders, returns, type ServedShop, serveShop } from './shop/served-shop.ts'
import { compileOrders } from './shop/shop.ts'

const wide = 'acme.wide.1_0_0.wide_Order'
const next = 'acme.wide.2_0_0.wide_Order'
let shop: ServedShop
/** Started after all topics and keys exist. */
let gateway: Gateway
let ordersKey: string
let oldKey: string

beforeAll(async () => {
  shop = await serveShop()
  for (let n = 0; n < 4; n++) await shop.publish(orders, 10)
  await shop.queue.deleteBefore(orders, 0, 20n)
  const { descriptors } = await compileOrders()
  const registration = (topic: string, change: Partial<TopicRegistration>): TopicRegistration => {
    const [lineage, version] = [topic.split('.').slice(0, 3).join('.'), topic.split('.')[2]!.replaceAll('_', '.')]
    const connector = { owner: 'acme', package: 'wide', version }
    const rest = { message: 'acme.shop.Order', descriptors, bytes: 'base64' as const, partitions: 3 }
    return { topic, lineage, instance: 'main', connector, ...rest, ...change }
  }
  await shop.queue.createTopics([wide, next].map((name) => ({ name, partitions: 3 })))
  await registerTopics(shop.queue, [registration(wide, { successor: next })])
  await registerTopics(shop.queue, [registration(next, {})])
  ordersKey = (await shop.addKey({ topics: ['acme.shop.*_Order', 'acme.wide.2*'] })).key
  oldKey = (await shop.addKey({ topics: ['acme.wide.1_*'] })).key
  gateway = await shop.startAnother()
})
afterAll(async () => {
  await gateway.close()
  await shop[Symbol.asyncDispose]()
})

interface TopicJson {
  readonly topic: string
  readonly successor?: string
  readonly bounds: readonly { partition: number; earliest: string; end: string }[]
  readonly earliestCursor: string
  readonly headCursor: string
  readonly proto: string
  readonly descriptors: string
  readonly jsonSchema: { $schema: string; $defs: Record<string, DefinedSchema> }
}

interface DefinedSchema {
  readonly description?: string
  readonly properties: Readonly<Record<string, { readonly description?: string }>>
}

async function ask<Answer>(path: string, key: string = shop.key): Promise<Answer> {
  const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })
  return (await response.json()) as Answer
}

test('topics are listed in order of name, without those that the key may not read', async () => {
  const namesFor = async (key: string) => {
    return (await ask<{ topics: TopicJson[] }>('/api/v1/topics', key)).topics.map(({ topic }) => topic)
  }
  expect(await namesFor(shop.key)).toEqual([orders, returns, wide, next])
  expect(await namesFor(ordersKey)).toEqual([orders, next])
  expect(await ask<ProblemJson>(`/api/v1/topics/${wide}`, ordersKey)).toMatchObject({
    status: 403,
    code: 'topic_forbidden',
  })
  const none = `${wide}_none`
  expect(await ask<ProblemJson>(`/api/v1/topics/${none}`, ordersKey)).toMatchObject({
    status: 403,
    code: 'topic_forbidden',
  })
  expect(await ask<ProblemJson>(`/api/v1/topics/${none}`)).toMatchObject({ status: 404, code: 'topic_not_found' })
})

test('a successor is named to keys that may read it', async () => {
  expect(await ask<TopicJson>(`/api/v1/topics/${wide}`)).toMatchObject({ successor: next })
  expect(await ask<TopicJson>(`/api/v1/topics/${wide}`, oldKey)).not.toHaveProperty('successor')
  const { topics } = await ask<{ topics: TopicJson[] }>('/api/v1/topics', oldKey)
  expect(topics).toEqual([expect.not.objectContaining({ successor: next })])
})

test('a topic is described with its bounds', async () => {
  const { bounds, earliestCursor, headCursor } = await ask<TopicJson>(`/api/v1/topics/${orders}`)
  const all = await ask<PageJson>(`/api/v1/data/${orders}?order=asc&limit=1000`)
  const offsets = all.data.map((record) => Number((record as unknown as { offset: string }).offset))
  expect(bounds).toEqual([{ partition: 0, earliest: `${offsets[0]}`, end: expect.stringMatching(/^\d+$/) }])
  expect(Number(bounds[0]!.end)).toBeGreaterThan(offsets.at(-1)!)
  const between = await ask<PageJson>(`/api/v1/data/${orders}?limit=1000&from=${earliestCursor}&to=${headCursor}`)
  expect(between.data).toHaveLength(all.data.length)
  const described = await ask<TopicJson>(`/api/v1/topics/${wide}`)
  expect(described).toMatchObject({ partitions: 3, bytes: 'base64' })
  expect(described.bounds.map(({ partition }) => partition)).toEqual([0, 1, 2])
})

test('a topic is described with three forms of its schema', async () => {
  const { proto, descriptors, jsonSchema } = await ask<TopicJson>(`/api/v1/topics/${orders}`)
  const message = schemaFromDescriptors(Buffer.from(descriptors, 'base64')).message('acme.shop.Order')!
  const names = message.fields.map(({ name }) => name)
  expect(Object.keys(jsonSchema.$defs['acme.shop.Order']!.properties)).toEqual(names)
  const folder = await mkdtemp(join(tmpdir(), 'headrace-proto-'))
  await writeFile(join(folder, 'order.proto'), proto)
  const { schema } = await compileProtos([join(folder, 'order.proto')])
  await rm(folder, { recursive: true })
  const compiled = schema!.message('acme.shop.Order')!
  expect(compiled.fields.map(({ name, number }) => [name, number])).toEqual(
    message.fields.map(({ name, number }) => [name, number]),
  )
})

test('comments of the .proto file are in every form of its schema, and new ones after the next registration', async () => {
  const describe = async () => {
    const { proto, descriptors, jsonSchema } = await ask<TopicJson>(`/api/v1/topics/${orders}`)
    const [, number] = schemaFromDescriptors(Buffer.from(descriptors, 'base64')).message('acme.shop.Order')!.fields
    const { description, properties } = jsonSchema.$defs['acme.shop.Order']!
    return { proto, comment: commentOf(number!), message: description, field: properties.number!.description }
  }
  expect(await describe()).toEqual({
    proto: expect.stringMatching(
      /^\/\/ An order of the shop\.\nmessage Order {\n.*\n {2}\/\/ Counts from 0\.\n {2}uint64 number = 2;$/m,
    ),
    comment: 'Counts from 0.',
    message: 'An order of the shop.',
    field: 'Counts from 0.',
  })
  const source = await readFile(new URL('shop/shop.proto', import.meta.url), 'utf8')
  const folder = await mkdtemp(join(tmpdir(), 'headrace-proto-'))
  const hostile = `"</script>\\u0000\u001b[2J */ ${'😀'.repeat(10_000)}`
  await writeFile(join(folder, 'shop.proto'), source.replace('Counts from 0.', hostile))
  const { descriptors } = (await compileProtos([join(folder, 'shop.proto')])).schema!
  await rm(folder, { recursive: true })
  await registerTopics(shop.queue, [{ ...(await readRegistry(shop.queue)).get(orders)!, descriptors }])
  await expect.poll(async () => (await describe()).field).not.toBe('Counts from 0.')
  const { proto, comment, field } = await describe()
  expect(field).toMatch(/^"<\/script>\\u0000 \[2J \*\/ 😀+…$/u)
  expect(field!.length).toBeLessThanOrEqual(4096)
  expect(comment).toBe(field)
  expect(proto).toContain(`  // ${field}\n  uint64 number = 2;\n`)
})

test('a method that a path does not have is answered with 405', async () => {
  const { paths } = await ask<{ paths: Record<string, object> }>('/api/v1/openapi.json')
  const methods = METHODS.filter((method) => !['GET', 'HEAD', 'OPTIONS', 'CONNECT'].includes(method))
  expect(Object.keys(paths).length).toBeGreaterThan(8)
  const agent = new Agent({ keepAlive: true })
  for (const path of Object.keys(paths)) {
    // The methods do not depend on the path, so all are sent to one path, and some to each.
    for (const method of path.endsWith('/topics') ? methods : ['POST', 'DELETE', 'QUERY'])
      if (!(method.toLowerCase() in paths[path]!))
        expect([path, method, await statusOf(method, path, agent)]).toEqual([path, method, 405])
  }
  agent.destroy()
})

function statusOf(method: string, path: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { method, headers: { 'content-length': 0 }, agent }
    const asked = request(gateway.url + path.replace('{topic}', orders), options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    asked.on('error', reject).end()
  })
}
