import asyncApiSchema from '@asyncapi/specs/schemas/3.0.0.json' with { type: 'json' }
import { validate } from '@readme/openapi-parser'
import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEvents } from './clients/event-stream.ts'
import { connect } from './clients/json-rpc-client.ts'
import { openChain } from './shop/chain.ts'
import { orders, type ServedShop, serveShop } from './shop/served-shop.ts'

let shop: ServedShop
let openApi: OpenApi
let asyncApi: AsyncApi

beforeAll(async () => {
  shop = await serveShop()
  await shop.publish(orders, 20, (number) => ({ note: `${number}`, parcel: Uint8Array.of(number) }))
  openApi = await withoutKey<OpenApi>('/api/v1/openapi.json')
  asyncApi = await withoutKey<AsyncApi>('/api/v1/asyncapi.json')
})
afterAll(() => shop[Symbol.asyncDispose]())

interface OpenApi {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Partial<Record<'get' | 'post', Operation>>>>
}

interface Operation {
  readonly security: readonly unknown[]
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, unknown>> }>>
}

interface AsyncApi {
  readonly asyncapi: string
  readonly components: { readonly messages: Readonly<Record<string, unknown>> }
}

async function withoutKey<Document>(path: string): Promise<Document> {
  const response = await fetch(shop.url + path)
  expect(response.status).toBe(200)
  return (await response.json()) as Document
}

test('the OpenAPI document is valid', async () => {
  expect(openApi.openapi).toMatch(/^3\.1\./)
  const result = await validate(structuredClone(openApi) as never)
  expect(result).toMatchObject({ valid: true, warnings: [] })
})

test('the AsyncAPI document is valid, and all its references exist', () => {
  expect(asyncApi.asyncapi).toBe('3.0.0')
  const validator = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false })
  expect(validator.validate(asyncApiSchema, asyncApi) ? [] : validator.errors).toEqual([])
  const references = [...JSON.stringify(asyncApi).matchAll(/"\$ref":"#\/(.*?)"/g)].map(([, path]) => path!)
  expect(references.length).toBeGreaterThan(20)
  for (const path of references) expect([path, follow(asyncApi, path)]).not.toEqual([path, undefined])
})

describe('a response over HTTP matches the OpenAPI document', () => {
  const topic = `/api/v1/topics/${orders}`
  const data = `/api/v1/data/${orders}`

  test.each([
    ['/health/live', '/health/live'],
    ['/health/ready', '/health/ready'],
    ['/api/v1/openapi.json', '/api/v1/openapi.json'],
    ['/api/v1/asyncapi.json', '/api/v1/asyncapi.json'],
    ['/api/v1/topics', '/api/v1/topics'],
    ['/api/v1/topics/{topic}', topic],
    ['/api/v1/connectors', '/api/v1/connectors'],
    ['/api/v1/usage', '/api/v1/usage'],
    ['/api/v1/data/{topic}', data],
    ['/api/v1/data/{topic}', `${data}?order=asc&limit=3&view=log`],
  ])('of %s', async (path, target) => {
    const response = await shop.get(target)
    expect(response.status).toBe(200)
    expectAnswer(path, response, await response.json())
  })

  test('for the root page, whose paths all exist', async () => {
    const response = await fetch(shop.url)
    const text = await response.text()
    expectAnswer('/', response, text)
    const named = [...text.matchAll(/^(?:GET)? +(\/[^ ?]+)/gm)].map(([, path]) => path!)
    expect(named.length).toBeGreaterThan(4)
    for (const path of named) if (path !== '/ws/v1') expect(Object.keys(openApi.paths)).toContain(path)
  })

  test('for lines', async () => {
    const response = await shop.get(`${data}?format=ndjson`)
    const lines = (await response.text()).trimEnd().split('\n')
    expect(lines).toHaveLength(20)
    for (const line of lines) expectAnswer('/api/v1/data/{topic}', response, JSON.parse(line))
  })

  test('for records of every kind', async () => {
    await using mixed = await serveShop()
    const { queue } = mixed
    const chain = await openChain(queue, { topic: 'acme.chain.1_0_0.chain_Order', partitions: 2 })
    await chain.publish({ partitions: [0, 1] }, { partitions: [0] }, { partitions: [1], revertUnits: 1 })
    const foreign = { topic: chain.topic, partition: 0, key: Buffer.from('k'), time: Date.now() }
    const error = { key: 'error', value: Buffer.from('record_too_large: 2 MiB') }
    await queue.append([
      { ...foreign, value: Buffer.from([255]) },
      { ...foreign, value: null, headers: [error] },
      { ...foreign, value: null },
    ])
    await using gateway = await mixed.startAnother().then((started) => {
      return { url: started.url, [Symbol.asyncDispose]: () => started.close() }
    })
    const headers = { authorization: `Bearer ${mixed.key}` }
    const response = await fetch(`${gateway.url}/api/v1/data/${chain.topic}?view=log&order=asc`, { headers })
    const page = (await response.json()) as { data: { op: string; seq: string | null; error?: { code: string } }[] }
    const kinds = page.data.map(({ op, seq, error }) => [op, seq === null, error?.code])
    expect(kinds).toContainEqual(['append', false, undefined])
    expect(kinds).toContainEqual(['revert', false, undefined])
    for (const code of ['decode_failed', 'produce_failed', undefined])
      expect(kinds).toContainEqual(['append', true, code])
    expectAnswer('/api/v1/data/{topic}', response, page)
  })

  test.each([
    [400, 'invalid_parameter', '/api/v1/data/{topic}', `${data}?limit=x`],
    [400, 'invalid_parameter', '/api/v1/topics', '/api/v1/topics?limit=1'],
    [400, 'invalid_cursor', '/api/v1/data/{topic}', `${data}?cursor=AQ`],
    [400, 'multiple_credentials', '/api/v1/topics', '/api/v1/topics?api_key=x'],
    [400, 'too_many_subscriptions', '/sse/v1', `/sse/v1?topics=${Array.from({ length: 21 }, (_, n) => `t${n}`)}`],
    [400, 'invalid_parameter', '/sse/v1', '/sse/v1'],
    [403, 'topic_forbidden', '/api/v1/data/{topic}', '/api/v1/data/_headrace.keys'],
    [403, 'topic_forbidden', '/api/v1/topics/{topic}', '/api/v1/topics/_headrace.keys'],
    [403, 'topic_forbidden', '/sse/v1', '/sse/v1?topics=_headrace.keys'],
    [404, 'topic_not_found', '/api/v1/data/{topic}', '/api/v1/data/acme.shop.1_0_0.shop_None'],
    [404, 'topic_not_found', '/api/v1/topics/{topic}', '/api/v1/topics/acme.shop.1_0_0.shop_None'],
    [404, 'topic_not_found', '/sse/v1', '/sse/v1?topics=acme.shop.1_0_0.shop_None'],
    [414, 'uri_too_long', '/health/live', `/health/live?${'x'.repeat(9000)}`],
    [426, 'upgrade_required', '/ws/v1', '/ws/v1'],
  ])('when it is %i %s for %s', async (status, code, path, target) => {
    const response = await shop.get(target)
    const problem = (await response.json()) as { code: string }
    expect([response.status, problem.code]).toEqual([status, code])
    expectAnswer(path, response, problem)
  })

  test.each([
    [200, '{"expiresIn":60,"topics":["acme.*"],"filter":"true","origin":"https://example.com"}'],
    [400, '{"expiresIn":0}'],
    [413, ' '.repeat(16_385)],
  ])('when it is %i for a token', async (status, body) => {
    const headers = { authorization: `Bearer ${shop.key}` }
    const response = await fetch(`${shop.url}/api/v1/tokens`, { method: 'POST', headers, body })
    expect(response.status).toBe(status)
    expectAnswer('/api/v1/tokens', response, await response.json(), 'post')
  })

  test('without a key, and with an invalid one', async () => {
    for (const [path, operations] of Object.entries(openApi.paths)) {
      const [[method, { security }]] = Object.entries(operations) as [['get' | 'post', Operation]]
      if (security.length === 0) continue
      const target = path.replace('{topic}', orders)
      for (const headers of [{}, { authorization: 'Basic x' }, { authorization: 'Bearer x' }] as const) {
        const response = await fetch(shop.url + target, { method, headers })
        expect([401, 429]).toContain(response.status)
        expectAnswer(path, response, await response.json(), method)
      }
    }
  })

  function expectAnswer(path: string, response: Response, body: unknown, method: 'get' | 'post' = 'get'): void {
    const described = openApi.paths[path]![method]!.responses[response.status]
    const [type] = response.headers.get('content-type')!.split(';')
    expect(Object.keys(described!.content)).toContain(type)
    const pointer = ['paths', path, method, 'responses', `${response.status}`, 'content', type!, 'schema']
    expectValid(schemaAt(openApi, pointer), body)
  }
})

test('records match the JSON Schema of their topic', async () => {
  const { jsonSchema } = await shop.json<{ jsonSchema: object }>(`/api/v1/topics/${orders}`)
  const schema = new Ajv2020({ validateFormats: false }).compile(jsonSchema)
  const { data } = await shop.json<{ data: { value: object }[] }>(`/api/v1/data/${orders}`)
  expect(data).toHaveLength(20)
  for (const { value } of data) expectValid(schema, value)
  expect(schema({ ...data[0]!.value, parcel: 'AQ==' })).toBe(false)
})

describe('a message matches the AsyncAPI document', () => {
  test('over WebSocket', async () => {
    await using quick = await serveShop({ limits: { heartbeatMs: 50 } })
    await quick.publish(orders, 30)
    const [{ cursor }] = (await quick.json<{ data: [{ cursor: string }] }>(`/api/v1/data/${orders}?order=asc&limit=1`))
      .data
    await quick.queue.deleteBefore(orders, 0, 20n)
    using client = await connect(`${quick.url}/ws/v1?api_key=${quick.key}`)
    const answers = [
      ['subscribe.answer', await client.call('subscribe', { topics: [orders], from: cursor, onGap: 'skip' })],
      ['ping.answer', await client.call('ping')],
      ['error', await client.call('subscribe', { topics: [] })],
      ['error', await client.call('none')],
      ['error', await client.raw('{')],
    ] as const
    await client.notifications('progress', 1)
    const left = ['unsubscribe.answer', await client.call('unsubscribe')] as const
    for (const [name, answer] of [...answers, left]) expectValid(payloadOf(name), answer)
    const pushed = client.messages.filter(({ method }) => method !== undefined)
    expect(new Set(pushed.map(({ method }) => method))).toEqual(new Set(['gap', 'subscription', 'progress']))
    for (const message of pushed) expectValid(payloadOf(message.method!), message)
  })

  test('over SSE', async () => {
    await using quick = await serveShop({ limits: { heartbeatMs: 50 } })
    await quick.publish(orders, 30)
    const [{ cursor }] = (await quick.json<{ data: [{ cursor: string }] }>(`/api/v1/data/${orders}?order=asc&limit=1`))
      .data
    await quick.queue.deleteBefore(orders, 0, 20n)
    const { key, id } = await quick.addKey()
    using stream = await openEvents(`${quick.url}/sse/v1?topics=${orders}&api_key=${key}`, { 'last-event-id': cursor })
    const ready = await stream.take('ready', 1)
    const others = await Promise.all([stream.readToEnd(), quick.revokeKey(id)])
    const found = [...ready, ...others[0]].filter(({ event }) => event !== 'comment')
    const types = found.map(({ event }) => event)
    expect(new Set(types)).toEqual(new Set(['ready', 'gap', 'message', 'progress', 'stream_error']))
    for (const { event, data } of found) expectValid(payloadOf(`event.${event}`), data)
  })

  function payloadOf(message: string): ValidateFunction {
    return schemaAt(asyncApi, ['components', 'messages', message, 'payload'])
  }
})

/** A validator of each document, which compiles each of its schemas once. */
const validators = new WeakMap<object, Ajv2020>()

function schemaAt(document: object, pointer: readonly string[]): ValidateFunction {
  let validator = validators.get(document)
  if (!validator) {
    validator = new Ajv2020({ strict: false, validateFormats: false })
    validators.set(document, validator.addSchema(closed(document), 'document'))
  }
  const path = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
  return validator.getSchema(`document#/${path.join('/')}`)!
}

/** The document with `additionalProperties: false` in every schema. */
function closed<Document extends object>(document: Document): Document {
  const copy = structuredClone(document) as Document & { components: { schemas: object } }
  close(copy.components.schemas)
  return copy
}

function close(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const part of Object.values(schema)) close(part)
  if ('type' in schema && schema.type === 'object' && 'properties' in schema)
    Object.assign(schema, { additionalProperties: false })
}

function expectValid(schema: ValidateFunction, value: unknown): void {
  expect(schema(value) ? [] : { errors: schema.errors, value }).toEqual([])
}

function follow(document: object, path: string): unknown {
  return path.split('/').reduce<unknown>((at, part) => {
    return (at as Record<string, unknown> | undefined)?.[part.replaceAll('~1', '/')]
  }, document)
}
