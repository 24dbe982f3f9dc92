import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Gateway } from '@headrace/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createToken } from '../../client/src/token/create-token.ts'
import { missingNginxFile as missing, type Nginx, startNginx } from '../../testbed/nginx/start-nginx.ts'
import type { PageJson } from './clients/shapes.ts'
import { environment } from './environment.ts'
import { type Chain, openChain } from './shop/chain.ts'
import { orders, type ServedShop, serveShop } from './shop/served-shop.ts'

if (missing && environment.ci) throw new Error(`The tests with nginx cannot run: there is no ${missing}.`)

const title = 'the nginx of docs/guides/caching.md'
describe.skipIf(missing !== undefined)(`${title}${missing ? `, skipped: there is no ${missing}` : ''}`, () => {
  let shop: ServedShop
  let gateway: Gateway
  let chain: Chain
  let nginx: Nginx
  beforeAll(async () => {
    shop = await serveShop()
    chain = await openChain(shop.queue, { topic: 'acme.chain.1_0_0.chain_Order', partitions: 1 })
    gateway = await shop.startAnother({ cache: 'public' })
    for (let n = 0; n < 300; n += 50) await shop.publish(orders, 50)
    nginx = await startNginx({ page: 'caching.md', gateways: { '127.0.0.1:8080': new URL(gateway.url).host } })
    await shop.waitForTopic(chain.topic)
  })
  afterAll(async () => {
    await nginx?.[Symbol.asyncDispose]()
    await gateway?.close()
    await shop?.[Symbol.asyncDispose]()
  })

  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const data = (query: string, topic = orders) => `/api/v1/data/${topic}?${query}`
  const nextOf = ({ body }: Answer) => (JSON.parse(body.toString()) as PageJson).nextCursor

  /** The path of a sealed page that nobody has requested. */
  async function sealedPath(limit: number): Promise<string> {
    const query = `order=asc&view=log&limit=${limit}`
    return data(`${query}&cursor=${nextOf(await ask(gateway.url + data(query), bearer(shop.key)))}`)
  }

  /** How many requests the gateway has got since. */
  function requestsSince(from: number, path: string): number {
    const lines = shop.logged.slice(from).map((line) => JSON.parse(line))
    return lines.filter(({ msg, url }) => msg === 'request' && url.startsWith(path)).length
  }

  test('sends a sealed page from its cache in every coding, and asks the gateway for each once', async () => {
    const path = await sealedPath(40)
    const plain = await ask(gateway.url + path, bearer(shop.key))
    const from = shop.logged.length
    const codings = {
      gzip: gunzipSync,
      br: brotliDecompressSync,
      zstd: zstdDecompressSync,
      identity: (body: Buffer) => body,
    }
    for (const [coding, decode] of Object.entries(codings)) {
      const headers = { ...bearer(shop.key), 'accept-encoding': `deflate, ${coding}` }
      const [first, second, third] = [
        await ask(nginx.url + path, headers),
        await ask(nginx.url + path, headers),
        await ask(nginx.url + path, { ...headers, 'accept-encoding': `${coding};q=0.9, x` }),
      ]
      expect([first, second, third].map(({ headers }) => headers['x-cache-status'])).toEqual(['MISS', 'HIT', 'HIT'])
      for (const { status, headers, body } of [first, second, third]) {
        expect([status, headers['content-encoding'] ?? 'identity']).toEqual([200, coding])
        expect(decode(body).equals(plain.body)).toBe(true)
        expect(headers).not.toHaveProperty('ratelimit')
      }
      const held = { ...headers, 'if-none-match': second.headers.etag! }
      expect(await ask(nginx.url + path, held)).toMatchObject({ status: 304, body: Buffer.alloc(0) })
    }
    const refusing = { ...bearer(shop.key), 'accept-encoding': 'zstd;q=0, br;q=0.0, gzip' }
    expect((await ask(nginx.url + path, refusing)).headers).toMatchObject({ 'content-encoding': 'gzip' })
    expect(requestsSince(from, path.split('?')[0]!)).toBe(Object.keys(codings).length)
    expect(requestsSince(from, '/api/v1/authorize')).toBeLessThan(10)
  })

  test('refuses callers that may not read the topic, with the reason, and never sends a stored page', async () => {
    const path = await sealedPath(41)
    const stored = await ask(nginx.url + path, bearer(shop.key))
    expect(stored.status).toBe(200)
    const other = await shop.addKey({ topics: ['acme.*.shop_Return'] })
    const slow = await shop.addKey({ rate: 1, burst: 1 })
    await shop.waitForKey(gateway.url, other.key)
    await shop.waitForKey(gateway.url, slow.key)
    const refusals: [Record<string, string>, number, string][] = [
      [{}, 429, 'rate_limited'],
      [bearer('hr_test_none'), 401, 'invalid_key'],
      [bearer(other.key), 403, 'topic_forbidden'],
      [{ ...bearer(slow.key), origin: 'https://a.example' }, 429, 'rate_limited'],
      [{ authorization: `Basic ${shop.key}` }, 401, 'malformed_authorization'],
    ]
    for (const [headers, status, code] of refusals) {
      const answer = await ask(nginx.url + path, headers)
      expect([answer.status, JSON.parse(answer.body.toString()).code]).toEqual([status, code])
    }
    const token = await createToken({ apiKey: shop.key, expiresIn: 60, filter: 'value.number < 45' })
    const narrowed = await ask(nginx.url + path, bearer(token))
    expect(JSON.parse(narrowed.body.toString()).data.length).toBeLessThan(5)
    expect((await ask(nginx.url + path, bearer(shop.key))).body.equals(stored.body)).toBe(true)
  })

  test('refuses a revoked key soon', async () => {
    const path = await sealedPath(42)
    const { key, id } = await shop.addKey()
    await shop.waitForKey(gateway.url, key)
    expect((await ask(nginx.url + path, bearer(key))).status).toBe(200)
    await shop.revokeKey(id)
    await expect.poll(async () => (await ask(nginx.url + path, bearer(key))).status, { interval: 50 }).toBe(401)
  })

  test('never sends an old page after a reorganisation, and lets the gateway compare what a client holds', async () => {
    const unit = { partitions: [0, 0, 0] }
    await chain.publish(unit, unit, unit)
    const first = data('limit=4', chain.topic)
    const canonical = async (headers = {}) => ask(nginx.url + first, { ...bearer(shop.key), ...headers })
    const before = await canonical()
    const later = data(`limit=2&cursor=${nextOf(before)}`, chain.topic)
    expect((await ask(nginx.url + later, bearer(shop.key))).headers['cache-control']).toBe('private, no-cache')
    expect((await canonical({ 'if-none-match': before.headers.etag! })).status).toBe(304)
    await chain.publish({ partitions: [0], revertUnits: 2 })
    const after = await canonical({ 'if-none-match': before.headers.etag! })
    expect(after.status).toBe(200)
    expect(after.body.equals((await ask(gateway.url + first, bearer(shop.key))).body)).toBe(true)
  })

  test('stores no key and no token', async () => {
    const path = await sealedPath(43)
    const token = await createToken({ apiKey: shop.key, expiresIn: 60 })
    for (const credential of [shop.key, token]) {
      expect((await ask(nginx.url + path, bearer(credential))).status).toBe(200)
      const inUrl = await ask(`${nginx.url + path}&api_key=${credential}`)
      expect(inUrl.status).toBe(200)
      expect(inUrl.headers).not.toHaveProperty('x-cache-status')
      expect(inUrl.headers['cache-control']).toMatch(/^private/)
      const encoded = await ask(`${nginx.url + path}&api%5Fkey=${credential}`)
      expect(encoded.headers).not.toHaveProperty('x-cache-status')
      expect((await ask(`${nginx.url + path}&api%5Fkey=${credential}`, bearer(credential))).status).toBe(400)
    }
    const files = await readAll(nginx.folder)
    expect(files.filter((content) => content.includes('"topic":')).length).toBeGreaterThan(0)
    for (const content of files)
      for (const secret of [shop.key.slice(8, 30), token.split('.')[2]!]) expect(content.includes(secret)).toBe(false)
  })
})

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

async function ask(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  const [response] = (await once(request(url, { headers, agent: false }).end(), 'response')) as [IncomingMessage]
  const body = Buffer.concat(await response.toArray())
  return { status: response.statusCode!, headers: response.headers as Answer['headers'], body }
}

async function readAll(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return Promise.all(files.map((file) => readFile(file, 'latin1')))
}
