import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  compileProtos,
  fileSchema,
  isSameSchema,
  readRegistry,
  registerTopics,
  type SchemaSet,
  systemTopics,
  topicSchema,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { orders, returns, type ServedShop, serveShop } from './shop/served-shop.ts'
import { compileOrders } from './shop/shop.ts'

let shop: ServedShop
/** Of the first schema of both topics. */
let first: SchemaJson

interface SchemaJson {
  readonly subject: string
  readonly version: number
  readonly id: number
  readonly guid: string
  readonly schema: string
  readonly references?: readonly { readonly name: string; readonly subject: string; readonly version: number }[]
}

beforeAll(async () => {
  shop = await serveShop()
  first = await shop.json(`/schema-registry/subjects/${orders}-value/versions/latest`)
})
afterAll(() => shop[Symbol.asyncDispose]())

const json = <T = unknown>(path: string) => shop.json<T>(`/schema-registry${path}`)
const subject = `${orders}-value`

test('a schema is answered by id, by GUID and by version, as text and as a descriptor', async () => {
  const { id, guid, schema } = first
  const { registry } = await compileOrders()
  const { text } = fileSchema(registry.getMessage('acme.shop.Order')!.file)
  expect(first).toEqual({ subject, version: 1, id, guid, schemaType: 'PROTOBUF', schema: text })
  const content = { subject, version: 1, guid, schemaType: 'PROTOBUF', schema }
  expect(await json(`/schemas/ids/${id}?fetchMaxId=true`)).toEqual({ ...content, maxId: id })
  expect(await json(`/schemas/guids/${guid}`)).toEqual(content)
  expect(await json(`/schemas/guids/${guid}/ids`)).toEqual([{ context: '.', id }])
  expect(await json(`/schemas/ids/${id}/versions`)).toEqual(
    [orders, returns].map((topic) => ({ subject: `${topic}-value`, version: 1 })),
  )
  const response = await shop.get(`/schema-registry/subjects/${subject}/versions/-1/schema`)
  expect(response.headers.get('content-type')).toBe('application/vnd.schemaregistry.v1+json')
  expect(await response.text()).toBe(text)
  const { schema: serialized } = await json<SchemaJson>(`/schemas/guids/${guid}?format=serialized`)
  expect(isSameSchema(fileSchema(registry.getMessage('acme.shop.Order')!.file), serialized)).toBe(true)
})

test('lists are answered in parts', async () => {
  expect(await json('/')).toEqual({})
  expect(await json('/subjects')).toEqual([subject, `${returns}-value`])
  expect(await json('/subjects?subjectPrefix=:*:&limit=1&offset=1')).toEqual([`${returns}-value`])
  expect(await json(`/schemas?subjectPrefix=${orders}`)).toEqual([first])
  expect(await json('/schemas/types')).toEqual(['PROTOBUF'])
  expect(await json('/mode')).toEqual({ mode: 'READONLY' })
  expect(await json(`/config/${subject}?defaultToGlobal=true`)).toEqual(await json('/config'))
})

test.each<[string, number, number]>([
  ['/schemas/ids/5', 404, 40403],
  ['/schemas/ids/x', 404, 40403],
  ['/schemas/guids/89791762-2336-41c6-b2a2-2a2e2b1a3b1c', 404, 40403],
  ['/subjects/unknown/versions', 404, 40401],
  [`/subjects/${subject}/versions/2`, 404, 40402],
  [`/subjects/${subject}/versions/0`, 422, 42202],
  [`/mode/${subject}`, 404, 40409],
  [`/config/${subject}`, 404, 40408],
  ['/associations/resources/-/x', 404, 404],
])('%s is answered with status %i and error code %i', async (path, status, code) => {
  const response = await shop.get(`/schema-registry${path}`)
  expect([response.status, await response.json()]).toEqual([
    status,
    expect.objectContaining({ error_code: code, message: expect.any(String), status }),
  ])
})

test('a client finds the version of its schema, and registers none', async () => {
  const post = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${shop.key}`, 'content-type': 'application/vnd.schemaregistry.v1+json' }
    const response = await fetch(`${shop.url}/schema-registry${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return (await response.json()) as { error_code?: number }
  }
  const { schema: serialized } = await json<SchemaJson>(`/schemas/ids/${first.id}?format=serialized`)
  for (const schema of [first.schema, serialized])
    expect(await post(`/subjects/${subject}`, { schemaType: 'PROTOBUF', schema })).toEqual(first)
  expect(await post(`/subjects/${subject}`, { schemaType: 'PROTOBUF', schema: 'other' })).toMatchObject({
    error_code: 40403,
  })
  expect(await post(`/subjects/${subject}`, { schema: '"string"' })).toMatchObject({ error_code: 42201 })
  expect(await post(`/subjects/${subject}/versions`, { schema: first.schema })).toMatchObject({ error_code: 405 })
})

test('a key is taken as user and as password, and shows the schemas of its topics only', async () => {
  const { key } = await shop.addKey({ topics: [returns] })
  const basic = (userinfo: string) => ({ authorization: `Basic ${Buffer.from(userinfo).toString('base64')}` })
  for (const userinfo of [`${key}:`, `${key}:unused`, `unused:${key}`, `:${key}`]) {
    const response = await shop.get('/schema-registry/subjects', basic(userinfo))
    expect([response.status, await response.json()]).toEqual([200, [`${returns}-value`]])
  }
  const hidden = await shop.get(`/schema-registry/subjects/${subject}/versions`, basic(`${key}:`))
  expect(await hidden.json()).toMatchObject({ error_code: 40401 })
  expect((await shop.get('/schema-registry/subjects', basic('some:one'))).status).toBe(401)
  expect((await shop.get('/schema-registry/subjects', {})).status).toBe(401)
  expect((await shop.get('/api/v1/topics', basic(`${key}:`))).status).toBe(401)
})

test('a schema that was registered a moment ago is found by a gateway that has not read it yet', async () => {
  await using changing = await serveShop({ topics: [orders] })
  const registration = (await readRegistry(changing.queue)).get(orders)!
  const released = Promise.withResolvers<void>()
  const follow: Queue['follow'] = async function* (positions, options) {
    for await (const batch of changing.queue.follow(positions, options)) {
      if (positions[0]!.topic === systemTopics.registry) await released.promise
      yield batch
    }
  }
  const late = await changing.startAnother({ queue: { ...changing.queue, follow } })
  const schema = await changedOrders('string remark = 98;')
  await registerTopics(changing.queue, [{ ...registration, descriptors: schema.descriptors }])
  const { guid } = topicSchema({ ...registration, descriptors: schema.descriptors })
  const headers = { authorization: `Bearer ${changing.key}` }
  const answer = fetch(`${late.url}/schema-registry/schemas/guids/${guid}`, { headers })
  // Long enough for an answer that does not wait.
  await Promise.race([answer, delay(200)])
  released.resolve()
  expect(await (await answer).json()).toMatchObject({ guid, version: 2 })
  await late.close()
})

test('a schema that was replaced stays resolvable through every gateway, and imports are references', async () => {
  await using changing = await serveShop({ topics: [orders] })
  const registration = (await readRegistry(changing.queue)).get(orders)!
  const schema = await changedOrders('.acme.extra.Extra extra = 99;', {
    'extra.proto': 'syntax = "proto3"; package acme.extra; message Extra { string a = 1; }',
  })
  await using restarted = await changing.startAnother().then((gateway) => ({
    url: gateway.url,
    [Symbol.asyncDispose]: () => gateway.close(),
  }))
  await registerTopics(changing.queue, [{ ...registration, descriptors: schema.descriptors }])
  const later = await changing.startAnother()
  const headers = { authorization: `Bearer ${changing.key}` }
  const at = async <T>(url: string, path: string) =>
    (await (await fetch(`${url}/schema-registry${path}`, { headers })).json()) as T
  const seen: unknown[] = []
  for (const url of [changing.url, restarted.url, later.url]) {
    await expect.poll(() => at(url, `/subjects/${subject}/versions`)).toEqual([1, 2])
    expect(await at(url, `/schemas/guids/${first.guid}`)).toMatchObject({ schema: first.schema, version: 1 })
    const newest = await at<SchemaJson>(url, `/subjects/${subject}/versions/latest`)
    const [imported] = newest.references!
    expect(imported).toMatchObject({ name: 'extra.proto', version: 1 })
    const path = `/subjects/${encodeURIComponent(imported!.subject)}/versions/1`
    expect((await at<SchemaJson>(url, path)).schema).toContain('message Extra')
    expect(await at(url, `${path}/referencedby`)).toEqual([newest.id])
    seen.push(await at(url, '/schemas'))
  }
  await later.close()
  expect(seen).toEqual([seen[0], seen[0], seen[0]])
})

/** The schema of orders with one more field, and the files that it imports. */
async function changedOrders(field: string, imports: Readonly<Record<string, string>> = {}): Promise<SchemaSet> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-schemas-'))
  for (const [name, text] of Object.entries(imports)) await writeFile(join(folder, name), text)
  const { text } = fileSchema((await compileOrders()).message('acme.shop.Order')!.file)
  const head = Object.keys(imports).map((name) => `import "${name}";\n`)
  const changed = text
    .replace('\n\n', `\n\n${head.join('')}`)
    .replace('message Order {\n', `message Order {\n  ${field}\n`)
  await writeFile(join(folder, 'shop.proto'), changed)
  const { schema, problems } = await compileProtos([join(folder, 'shop.proto')])
  await rm(folder, { recursive: true })
  expect(problems).toEqual([])
  return schema!
}
