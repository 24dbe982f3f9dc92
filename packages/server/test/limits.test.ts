import type { Queue } from '@headrace/queue'
import { createGateway } from '@headrace/server'
import { pino } from 'pino'
import { Pool } from 'undici'
import { describe, expect, test } from 'vitest'
import { openEvents } from './clients/event-stream.ts'
import { connect, refusedUpgrade } from './clients/json-rpc-client.ts'
import { orders, serveShop } from './shop/served-shop.ts'

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const path = `/api/v1/data/${orders}`

describe('the rate over HTTP', () => {
  test('grants exactly the burst and the refilled tokens, whatever is sent', async () => {
    await using shop = await serveShop()
    const { key } = await shop.addKey()
    // The request that was used to wait for the key has been refilled.
    await expect.poll(async () => (await shop.get(path, bearer(key))).headers.get('ratelimit')).toMatch(/r=199/)
    const pool = new Pool(shop.url, { connections: 20 })
    const began = performance.now()
    let served = 0
    let refused = 0
    const send = async () => {
      const { statusCode, headers, body } = await pool.request({ method: 'GET', path, headers: bearer(key) })
      await body.dump()
      if (statusCode === 200) served++
      else {
        expect([statusCode, headers['retry-after']]).toEqual([429, '1'])
        refused++
      }
    }
    while (refused === 0 || performance.now() - began < 700) await Promise.all(Array.from({ length: 40 }, send))
    const seconds = (performance.now() - began) / 1000
    await pool.close()
    expect(refused).toBeGreaterThan(0)
    expect(served).toBeGreaterThanOrEqual(199)
    expect(served).toBeLessThanOrEqual(201 + 100 * seconds)
  })

  test('is 0 without a key, at any path that needs one, whatever headers are sent', async () => {
    await using shop = await serveShop()
    for (const at of [path, '/api/v1/topics', `/api/v1/topics/${orders}`, '/api/v1/usage', `${path}?limit=none`])
      for (const headers of [{}, { origin: 'https://example.org' }, { 'x-forwarded-for': '10.0.0.1' }]) {
        const response = await shop.get(at, headers)
        expect([at, response.status, response.headers.get('retry-after')]).toEqual([at, 429, null])
        expect(response.headers.get('ratelimit-policy')).toBe('"ip";q=0;w=1')
        expect(await response.json()).toMatchObject({ code: 'rate_limited', detail: expect.stringContaining('Bearer') })
      }
  })
})

describe('connections', () => {
  test('of all keys together are limited, and further ones get Retry-After', async () => {
    await using shop = await serveShop({ limits: { connections: 3 } })
    const keys = await Promise.all([1, 2, 3, 4].map(() => shop.addKey()))
    const [one, two, three, four] = keys.map(({ key }) => key) as [string, string, string, string]
    using first = await connect(`${shop.url}/ws/v1`, bearer(one))
    using _second = await connect(`${shop.url}/ws/v1`, bearer(two))
    using _third = await openEvents(`${shop.url}/sse/v1?topics=${orders}`, bearer(three))
    expect(await refusedUpgrade(`${shop.url}/ws/v1`, bearer(four))).toMatchObject({
      status: 503,
      problem: { code: 'overloaded' },
    })
    const stream = await shop.get(`/sse/v1?topics=${orders}`, bearer(four))
    expect([stream.status, stream.headers.get('retry-after')]).toEqual([503, '1'])
    expect((await shop.get(path, bearer(four))).status).toBe(200)
    first.ws.close()
    await first.closed
    using client = await connect(`${shop.url}/ws/v1`, bearer(four))
    expect((await client.call('ping')).result).toBe('pong')
  })

  test('end at their maximal age with their cursors, and may be opened again', async () => {
    await using shop = await serveShop({ limits: { maxAgeMs: 400 } })
    await shop.publish(orders, 3)
    using client = await connect(`${shop.url}/ws/v1`, bearer(shop.key))
    await client.call('subscribe', { topics: [orders], from: 'earliest' })
    using stream = await openEvents(`${shop.url}/sse/v1?topics=${orders}&from=earliest`, bearer(shop.key))
    expect(await client.closed).toMatchObject({ code: 4412 })
    const [progress] = await client.notifications<{ cursors: Record<string, string> }>('progress', 1)
    const events = await stream.readToEnd()
    expect(events.at(-1)).toMatchObject({ event: 'stream_error', data: { code: 'max_age' } })
    await shop.publish(orders, 1)
    using again = await connect(`${shop.url}/ws/v1`, bearer(shop.key))
    await again.call('subscribe', { topics: [orders], from: progress!.cursors[orders] })
    expect((await again.notifications('subscription', 1))[0]).toMatchObject({ seq: '3' })
    using streamed = await openEvents(`${shop.url}/sse/v1?topics=${orders}`, {
      ...bearer(shop.key),
      'last-event-id': events.at(-1)!.id!,
    })
    expect((await streamed.take('message', 1))[0]).toMatchObject({ data: { seq: '3' } })
  })
})

test('an odd headersMs works like an even one', async () => {
  await using shop = await serveShop({ limits: { headersMs: 1501 } })
  expect((await shop.get('/health/live')).status).toBe(200)
})

test.each([
  [{ number: 0 }, 'number is 0'],
  [{ defaultRate: 0 }, 'defaultRate is 0'],
  [{ keyless: { rate: 1, burst: 1.5, topics: ['*'] } }, 'keyless.burst is 1.5'],
  [{ keyless: { rate: 1, burst: 1, topics: [] } }, 'keyless.topics is empty'],
  [{ keyless: { rate: 1, burst: 1, topics: ['a b'] } }, '"a b" is not a topic pattern'],
  [{ trustedProxies: ['localhost'] }, '"localhost" is not the address of a proxy'],
  [{ contact: 'a\nb' }, 'U+000A'],
  [{ limits: { maxAgeMs: 0 } }, 'maxAgeMs is 0'],
  [{ limits: { pingMs: Number.NaN } }, 'pingMs is NaN'],
  [{ limits: { stallMs: 2 ** 31 } }, 'stallMs is 2147483648'],
  [{ limits: { speed: 1 } as object }, 'no limit "speed"'],
  [{ limits: { maxPageRecords: 10.5 } }, 'maxPageRecords is 10.5'],
  [{ limits: { headersMs: 60_000 } }, 'headersMs is 60000 and requestMs is 30000'],
  [{ limits: { requestMs: 5000 } }, 'headersMs is 10000 and requestMs is 5000'],
])('createGateway refuses %j', async (options, message) => {
  // Options are checked before the queue is used.
  const queue = {} as Queue
  await expect(createGateway({ queue, log: pino({ enabled: false }), ...options })).rejects.toMatchObject({
    code: 'invalid_gateway_options',
    message: expect.stringContaining(message),
  })
})
