import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateKey } from '../src/access/keys/key-format.ts'
import { openEvents } from './clients/event-stream.ts'
import { connect, refusedUpgrade } from './clients/json-rpc-client.ts'
import type { ProblemJson } from './clients/shapes.ts'
import { orders, returns, type ServedShop, serveShop } from './shop/served-shop.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop()
  await shop.publish(orders, 3)
})
afterAll(() => shop[Symbol.asyncDispose]())

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const path = `/api/v1/data/${orders}`

async function problem(response: Response): Promise<[number, string]> {
  const { code, status, requestId } = (await response.json()) as ProblemJson
  expect(status).toBe(response.status)
  expect(requestId).toBe(response.headers.get('x-request-id'))
  return [status, code]
}

describe('REST', () => {
  test('takes the key from the header or the query', async () => {
    expect((await shop.get(path)).status).toBe(200)
    expect((await shop.get(path, { authorization: `bearer ${shop.key}` })).status).toBe(200)
    expect((await shop.get(`${path}?api_key=${shop.key}`, {})).status).toBe(200)
  })

  test('always answers 429 without a key, and without Retry-After', async () => {
    for (let n = 0; n < 3; n++) {
      const response = await shop.get(`/api/v1/data/no.such_topic?nonsense=1`, {})
      expect(response.headers.get('retry-after')).toBeNull()
      expect(response.headers.get('ratelimit')).toBe('"ip";r=0')
      expect(await problem(response)).toEqual([429, 'rate_limited'])
    }
  })

  test('refuses in the order of the table', async () => {
    const restricted = await shop.addKey({ topics: [returns], origins: ['https://example.org'] })
    const ask = async (at: string, headers: Record<string, string>) => problem(await shop.get(at, headers))
    const wrongEverything = `/api/v1/data/no.such_topic?nonsense=1`
    const other = 'https://example.com'

    expect(await ask('/api/v1/nothing', bearer('x'))).toEqual([404, 'path_not_found'])
    expect(await ask(`${wrongEverything}&api_key=x`, bearer('x'))).toEqual([400, 'multiple_credentials'])
    expect(await ask(`${wrongEverything}&api_key=x&api_key=y`, {})).toEqual([400, 'multiple_credentials'])
    expect(await ask(wrongEverything, { authorization: 'Basic eDp5' })).toEqual([401, 'malformed_authorization'])
    expect(await ask(wrongEverything, { authorization: 'Bearer' })).toEqual([401, 'malformed_authorization'])
    expect(await ask(wrongEverything, bearer('hr_test_x'))).toEqual([401, 'invalid_key'])
    expect(await ask(`${wrongEverything}&api_key=`, {})).toEqual([401, 'invalid_key'])
    expect(await ask(wrongEverything, bearer(generateKey('development')))).toEqual([401, 'invalid_key'])
    expect(await ask(wrongEverything, bearer(generateKey('production')))).toEqual([401, 'wrong_environment'])
    const withOrigin = { ...bearer(restricted.key), origin: other }
    expect(await ask(wrongEverything, withOrigin)).toEqual([403, 'origin_not_allowed'])
    expect(await ask(wrongEverything, bearer(restricted.key))).toEqual([403, 'topic_forbidden'])
    expect(await ask('/api/v1/data/_headrace.keys', bearer(shop.key))).toEqual([403, 'topic_forbidden'])
    expect(await ask(wrongEverything, bearer(shop.key))).toEqual([400, 'invalid_parameter'])
    expect(await ask('/api/v1/data/no.such_topic', bearer(shop.key))).toEqual([404, 'topic_not_found'])
  })

  test('answers other methods with 405 before it checks the key', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await fetch(shop.url + path, { method, body: 'x' })
      expect(response.headers.get('allow')).toBe('GET, HEAD')
      expect(await problem(response)).toEqual([405, 'method_not_allowed'])
    }
  })

  test('refuses targets that are too long and bytes that are not HTTP', async () => {
    expect(await problem(await shop.get(`${path}?cursor=${'A'.repeat(9000)}`))).toEqual([414, 'uri_too_long'])
    const big = await request(shop.url + path, { headers: { 'x-big': 'x'.repeat(20_000) } })
    expect(big.statusCode).toBe(431)
    expect(await big.body.json()).toMatchObject({ code: 'headers_too_large', status: 431 })
    expect(await problem(await shop.get('/api/v1/data/%zz'))).toEqual([400, 'malformed_request'])
  })

  test('limits each key separately, and reports the remaining requests and the time of the reset', async () => {
    const { key } = await shop.addKey({ rate: 1, burst: 6 })
    const answers = []
    for (let n = 0; n < 8; n++) answers.push(await shop.get(path, bearer(key)))
    const accepted = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 429)
    expect(accepted.length + refused.length).toBe(8)
    expect(refused.length).toBeGreaterThan(0)
    expect(accepted[0]!.headers.get('ratelimit-policy')).toBe('"key";q=6;w=6')
    expect(accepted[0]!.headers.get('ratelimit')).toMatch(/^"key";r=\d;t=\d$/)
    expect(refused[0]!.headers.get('retry-after')).toBe('1')
    expect(await problem(refused[0]!)).toEqual([429, 'rate_limited'])
    expect((await shop.get(path)).status).toBe(200)
  })

  test('accepts a key until it expires or is revoked', async () => {
    const revoked = await shop.addKey()
    expect((await shop.get(path, bearer(revoked.key))).status).toBe(200)
    await shop.revokeKey(revoked.id)
    expect(await problem(await shop.get(path, bearer(revoked.key)))).toEqual([401, 'invalid_key'])
    const expiring = await shop.addKey({ expires: new Date(Date.now() + 86_400_000) })
    expect((await shop.get(path, bearer(expiring.key))).status).toBe(200)
  })

  test('lists only the topics of the key', async () => {
    const { key } = await shop.addKey({ topics: ['*_Return'] })
    const { topics } = (await (await shop.get('/api/v1/topics', bearer(key))).json()) as { topics: { topic: string }[] }
    expect(topics.map(({ topic }) => topic)).toEqual([returns])
    expect(await problem(await shop.get(`/api/v1/topics/${orders}`, bearer(key)))).toEqual([403, 'topic_forbidden'])
  })
})

describe('origins', () => {
  const registered = 'https://origins.example.org'

  test('are compared byte for byte if the key has any', async () => {
    const { key } = await shop.addKey({ origins: [registered] })
    const status = async (origin?: string) =>
      (await shop.get(path, { ...bearer(key), ...(origin === undefined ? {} : { origin }) })).status
    expect(await status(registered)).toBe(200)
    expect(await status()).toBe(200)
    for (const other of [`${registered}/`, registered.toUpperCase(), 'http://origins.example.org', 'null'])
      expect(await status(other)).toBe(403)
    const strict = await shop.addKey({ origins: [registered], requireOrigin: true })
    expect(await problem(await shop.get(path, bearer(strict.key)))).toEqual([403, 'origin_not_allowed'])
  })

  test('let scripts read responses and errors, and a preflight needs no key', async () => {
    await shop.addKey({ origins: [registered] })
    const preflight = await fetch(shop.url + path, {
      method: 'OPTIONS',
      headers: { origin: registered, 'access-control-request-method': 'GET' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe(registered)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization')
    const refused = await shop.get(path, { ...bearer('x'), origin: registered })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, registered])
    expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After')
    const foreign = await fetch(shop.url + path, {
      method: 'OPTIONS',
      headers: { origin: 'https://example.net', 'access-control-request-method': 'GET' },
    })
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    expect(await problem(foreign)).toEqual([403, 'origin_not_allowed'])
  })

  test('of pages are all allowed for a key without origins', async () => {
    const response = await shop.get(path, { ...bearer(shop.key), origin: 'https://anyone.example.com' })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://anyone.example.com',
    ])
  })

  test('of pages may read why a key without origins is refused', async () => {
    const { key } = await shop.addKey({ rate: 1, burst: 1 })
    const origin = 'https://anyone.example.com'
    const seen = async (target: string) => {
      const { status, headers } = await shop.get(target, { ...bearer(key), origin })
      return [status, headers.get('access-control-allow-origin')]
    }
    for (const target of [path, '/ws/v1']) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => seen(target)))
      expect(answers).toContainEqual([429, origin])
    }
  })
})

describe('live data', () => {
  test('takes the key from the header or the query', async () => {
    for (const [query, headers] of [
      ['', bearer(shop.key)],
      [`api_key=${shop.key}`, {}],
    ] as const) {
      using client = await connect(`${shop.url}/ws/v1?${query}`, headers)
      expect((await client.call('ping')).result).toBe('pong')
      using stream = await openEvents(`${shop.url}/sse/v1?topics=${orders}&${query}`, headers)
      await stream.take('ready', 1)
    }
  })

  test('needs a key: WebSocket, SSE and a plain GET of the WebSocket path refuse over HTTP', async () => {
    const cases: [Record<string, string>, number, string][] = [
      [{}, 401, 'missing_key'],
      [{ authorization: 'Basic eDp5' }, 401, 'malformed_authorization'],
      [bearer(generateKey('development')), 401, 'invalid_key'],
      [bearer(generateKey('production')), 401, 'wrong_environment'],
    ]
    for (const [headers, status, code] of cases) {
      expect(await refusedUpgrade(`${shop.url}/ws/v1`, headers)).toMatchObject({ status, problem: { code, status } })
      expect(await problem(await shop.get('/ws/v1', headers))).toEqual([status, code])
      expect(await problem(await shop.get(`/sse/v1?topics=${orders}`, headers))).toEqual([status, code])
    }
    const both = { ...bearer(shop.key) }
    expect(await refusedUpgrade(`${shop.url}/ws/v1?api_key=${shop.key}`, both)).toMatchObject({
      status: 400,
      type: 'application/problem+json',
      problem: { code: 'multiple_credentials' },
    })
    expect(await refusedUpgrade(`${shop.url}/ws/v2`, both)).toMatchObject({ problem: { code: 'path_not_found' } })
    expect(await problem(await shop.get('/ws/v1'))).toEqual([426, 'upgrade_required'])
    expect(await problem(await fetch(`${shop.url}/ws/v1`, { method: 'POST' }))).toEqual([405, 'method_not_allowed'])
  })

  test('is limited in connections per key, over both protocols together', async () => {
    const { key } = await shop.addKey({ connections: 2 })
    using first = await connect(`${shop.url}/ws/v1?api_key=${key}`)
    const stop = new AbortController()
    const second = await fetch(`${shop.url}/sse/v1?topics=${orders}&api_key=${key}`, { signal: stop.signal })
    expect(second.status).toBe(200)
    expect(await refusedUpgrade(`${shop.url}/ws/v1`, bearer(key))).toMatchObject({
      status: 429,
      problem: { code: 'connection_limit' },
    })
    expect(await problem(await shop.get(`/sse/v1?topics=${orders}`, bearer(key)))).toEqual([429, 'connection_limit'])
    first.ws.close()
    await first.closed
    using third = await connect(`${shop.url}/ws/v1`, bearer(key))
    expect((await third.call('ping')).result).toBe('pong')
    stop.abort()
  })

  test('ends at once when its key is revoked', async () => {
    const { key, id } = await shop.addKey()
    using client = await connect(`${shop.url}/ws/v1`, bearer(key))
    await client.call('subscribe', { topics: [orders] })
    await shop.revokeKey(id)
    expect(await client.closed).toMatchObject({ code: 4401 })
  })

  test('ends at once when its key expires', async () => {
    const { key } = await shop.addKey({ expires: new Date(Date.now() + 1500) })
    using client = await connect(`${shop.url}/ws/v1`, bearer(key))
    expect(await client.closed).toMatchObject({ code: 4401 })
    expect(await refusedUpgrade(`${shop.url}/ws/v1`, bearer(key))).toMatchObject({ problem: { code: 'invalid_key' } })
  })
})

test('no key is in the log or in an error', async () => {
  const unknown = generateKey('development')
  for (const at of [path, '/nothing', '/ws/v1', '/sse/v1', '/api/v1/data/%zz'])
    for (const key of [shop.key, unknown]) {
      const texts = [
        await (await shop.get(`${at}?api_key=${key}&x=${key}`, {})).text(),
        await (await shop.get(`${at}?x=1`, bearer(key))).text(),
        await (await shop.get(`${at}/${key}`, bearer(key))).text(),
      ]
      for (const text of texts) expect(text).not.toContain(key.slice(8))
    }
  using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  await client.call('ping')
  await refusedUpgrade(`${shop.url}/ws/v1?api_key=${unknown}`)
  const log = shop.logged.join('')
  expect(log).toContain('"msg":"request"')
  expect(log).toContain('"msg":"websocket opened"')
  expect(log).toContain('"msg":"websocket refused"')
  expect(log).toContain(shop.keyId)
  for (const key of [shop.key, unknown]) expect(log).not.toContain(key.slice(8))
})
