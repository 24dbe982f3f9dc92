import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Gateway } from '@headrace/server'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createToken } from '../../client/src/token/create-token.ts'
import type { PageJson } from './clients/shapes.ts'
import { orders, type ServedShop, serveShop } from './shop/served-shop.ts'

let shop: ServedShop

beforeAll(async () => {
  shop = await serveShop()
  for (let n = 0; n < 400; n += 50) await shop.publish(orders, 50, (number) => ({ note: `order ${number}` }))
})
afterAll(() => shop[Symbol.asyncDispose]())

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

/** A request without the headers that `fetch` adds. */
async function ask(query: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const url = `${shop.url}/api/v1/data/${orders}?${query}`
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  request(url, { method, headers: { authorization: `Bearer ${shop.key}`, ...headers } }, async (response) => {
    const body = Buffer.concat(await response.toArray())
    resolve({ status: response.statusCode!, headers: response.headers as Answer['headers'], body })
  })
    .on('error', reject)
    .end()
  return promise
}

const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }

const nextOf = ({ body }: Answer): string => (JSON.parse(body.toString()) as PageJson).nextCursor

describe('a compressed page', () => {
  test.each(['gzip', 'br', 'zstd'] as const)('in %s decodes to the plain one', async (coding) => {
    const plain = await ask('limit=50')
    const compressed = await ask('limit=50', { 'accept-encoding': coding })
    expect(compressed.headers).toMatchObject({
      'content-encoding': coding,
      vary: expect.stringContaining('Accept-Enc'),
    })
    expect(compressed.headers.etag).toBe(plain.headers.etag!.replace(/"$/, `-${coding}"`))
    expect(decoders[coding](compressed.body).equals(plain.body)).toBe(true)
    const head = await ask('limit=50', { 'accept-encoding': coding }, 'HEAD')
    const own = ['x-request-id', 'ratelimit', 'date']
    const others = (answer: Answer) => Object.entries(answer.headers).filter(([name]) => !own.includes(name))
    expect(others(head)).toEqual(others(compressed))
  })
})

const sealedFor = (who: 'private' | 'public') => `${who}, max-age=31536000, immutable`
const log = 'order=asc&view=log&limit=50'

/** The query of the page after a first one. */
const after = async (query: string) => `${query}&cursor=${nextOf(await ask(query))}`

describe('a page of the log that was asked for by cursor and is full', () => {
  test('is sealed, and a client that holds it gets 304, for which nothing is read', async () => {
    expect((await ask(log)).headers['cache-control']).toBe('private, no-cache')
    const query = await after(log)
    const page = await ask(query)
    expect(page.headers).toMatchObject({
      'cache-control': sealedFor('private'),
      vary: 'Origin, Accept-Encoding, Accept, Authorization',
    })
    const read = vi.spyOn(shop.queue, 'read')
    const unchanged = await ask(query, { 'if-none-match': `"other", W/${page.headers.etag}` })
    expect(unchanged).toMatchObject({ status: 304, body: Buffer.alloc(0) })
    for (const name of ['etag', 'cache-control', 'vary']) expect(unchanged.headers[name]).toBe(page.headers[name])
    expect(read).not.toHaveBeenCalled()
    expect((await ask(query, { 'if-none-match': '*' })).status).toBe(304)
    expect((await ask(query, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test.each([
    ['order=asc&view=log&limit=50&to=-0s', true],
    ['order=asc&view=log&limit=50&to=final', true],
    ['order=desc&view=log&limit=50', true],
    ['order=desc&view=log&limit=50&from=2026-08-21T10:00:05Z', true],
    ['order=desc&view=log&limit=50&from=-99999d', false],
    ['order=desc&view=log&limit=50&from=last:300', false],
    ['order=asc&view=log&limit=390', false],
  ])('%s: is sealed unless its end may move into it or it is not full: %s', async (query, isSealed) => {
    const next = nextOf(await ask(query))
    const page = await ask(`${query.replace(/&to=last.*/, '')}&cursor=${next}`)
    expect(page.headers['cache-control']).toBe(isSealed ? sealedFor('private') : 'private, no-cache')
  })
})

test('a canonical page is sealed when its records are final', async () => {
  const [older, newest] = ['order=desc&limit=50', 'order=desc&limit=20']
  const [final, revertible] = [await after(older), await after(newest)]
  await expect
    .poll(async () => (await ask(final)).headers['cache-control'], { interval: 10 })
    .toBe(sealedFor('private'))
  expect((await ask(revertible)).headers['cache-control']).toBe('private, no-cache')
})

test('a page that may change is checked each time, and sent when it has changed', async () => {
  await using other = await serveShop()
  await other.publish(orders, 10)
  const get = (tag?: string) =>
    fetch(`${other.url}/api/v1/data/${orders}`, {
      headers: { authorization: `Bearer ${other.key}`, ...(tag && { 'if-none-match': tag }) },
    })
  const tag = (await get()).headers.get('etag')!
  expect((await get(tag)).status).toBe(304)
  await other.publish(orders, 1)
  expect((await get(tag)).status).toBe(200)
})

test('records that retention has removed are not sent from memory', async () => {
  await using old = await serveShop()
  for (let n = 0; n < 4; n++) await old.publish(orders, 10)
  const { nextCursor } = await old.json<PageJson>(`/api/v1/data/${orders}?order=asc&view=log&limit=5`)
  const path = `/api/v1/data/${orders}?order=asc&view=log&limit=5&cursor=${nextCursor}`
  expect((await old.get(path)).headers.get('cache-control')).toBe(sealedFor('private'))
  await old.queue.deleteBefore(orders, 0, 20n)
  expect((await old.get(path)).status).toBe(410)
})

describe('a gateway behind a shared cache', () => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await shop.startAnother({ cache: 'public' })
  })
  afterAll(() => gateway.close())

  const headersOf = async (query: string, headers: Record<string, string>) =>
    (await fetch(`${gateway.url}/api/v1/data/${orders}?${query}`, { headers })).headers
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

  test('lets it store sealed pages, without what belongs to one request', async () => {
    const headers = await headersOf(await after(log), bearer(shop.key))
    expect(headers.get('cache-control')).toBe(sealedFor('public'))
    expect(headers.get('vary')).toBe('Origin, Accept-Encoding, Accept')
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null])
    expect((await headersOf(log, bearer(shop.key))).get('cache-control')).toBe('private, no-cache')
  })

  test('keeps a page from it if the key is in the URL, or if a token narrows the page', async () => {
    const query = await after(log)
    expect((await headersOf(`${query}&api_key=${shop.key}`, {})).get('cache-control')).toBe(sealedFor('private'))
    const narrow = bearer(await createToken({ apiKey: shop.key, filter: 'value.number > 0' }))
    expect((await headersOf(query, narrow)).get('cache-control')).toBe(sealedFor('private'))
  })
})

test.each([
  ['application/x-ndjson', '', true],
  ['application/x-ndjson, application/json;q=0.9, */*', '', true],
  ['application/x-ndjson;q=0.5, application/json', '', false],
  ['*/*', '', false],
  ['application/x-ndjson', '&format=json', false],
])('Accept: %s with "%s" selects lines: %s', async (accept, format, isLines) => {
  const { headers } = await ask(`order=asc${format}`, { accept })
  expect(headers['content-type']).toContain(isLines ? 'application/x-ndjson' : 'application/json')
  expect(headers.vary!.split(', ').includes('Accept')).toBe(format === '')
})

describe('/api/v1/authorize', () => {
  test('answers whether a key may read a topic', async () => {
    const narrow = await shop.addKey({ topics: ['acme.*.shop_Return'] })
    const status = async (query: string, headers?: Record<string, string>) =>
      (await shop.get(`/api/v1/authorize${query}`, headers)).status
    const bearer = { authorization: `Bearer ${narrow.key}` }
    expect(await status(`?topic=${orders}`)).toBe(204)
    expect(await status(`?topic=${orders}`, bearer)).toBe(403)
    expect(await status(`?topic=${orders.replace('Order', 'Return')}`, bearer)).toBe(204)
    expect(await status(`?topic=${orders}`, {})).toBe(429)
    expect(await status(`?topic=${orders}`, { authorization: 'Bearer hr_test_nothing' })).toBe(401)
    expect(await status('')).toBe(400)
  })
})
