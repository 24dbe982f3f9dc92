import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
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

describe('a page', () => {
  test('that was asked for by cursor, is full and is of the log, is sealed', async () => {
    const first = await ask('order=asc&view=log&limit=50')
    expect(first.headers['cache-control']).toBe('private, no-cache')
    const query = `order=asc&view=log&limit=50&cursor=${nextOf(first)}`
    const page = await ask(query)
    expect(page.headers['cache-control']).toBe('private, max-age=31536000, immutable')
    const read = vi.spyOn(shop.queue, 'read')
    const unchanged = await ask(query, { 'if-none-match': `"other", W/${page.headers.etag}` })
    expect(unchanged).toMatchObject({ status: 304, body: Buffer.alloc(0) })
    for (const name of ['etag', 'cache-control', 'vary']) expect(unchanged.headers[name]).toBe(page.headers[name])
    expect(read).not.toHaveBeenCalled()
    expect((await ask(query, { 'if-none-match': '"other"' })).status).toBe(200)
  })
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
