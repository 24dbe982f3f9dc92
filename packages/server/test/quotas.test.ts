import { type Queue, QueueUnavailableError } from '@headrace/queue'
import { readUsage, sumUsage, updateKey } from '@headrace/server'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openEvents } from './clients/event-stream.ts'
import { connect } from './clients/json-rpc-client.ts'
import { orders, type ServedShop, serveShop } from './shop/served-shop.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop({ limits: { usageMs: 20 } })
  for (let n = 0; n < 12; n++) await shop.publish(orders, 250)
})
afterAll(() => shop[Symbol.asyncDispose]())

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const page = `/api/v1/data/${orders}?limit=10`
/** By which the gateway was found to know a new key. */
const before = 1

async function answers(key: string, count: number, url: string = shop.url): Promise<number[]> {
  const ask = async () => {
    const response = await fetch(url + page, { headers: bearer(key) })
    await response.text()
    return response.status
  }
  return Promise.all(Array.from({ length: count }, ask))
}

const served = (statuses: readonly number[]) => statuses.filter((status) => status === 200).length

interface QuotaProblem {
  readonly code: string
  readonly quota: string
  readonly resetsAt: string
}

interface UsageJson {
  readonly quota?: Readonly<Record<string, unknown>>
}

test('of many requests at once, exactly the quota is served, until the next month begins', async () => {
  const { key, id } = await shop.addKey({ quota: { requests: before + 7, bytes: 1e12 } })
  expect(served(await answers(key, 40))).toBe(7)
  const refused = await shop.get(page, bearer(key))
  const problem = (await refused.json()) as QuotaProblem
  expect(problem).toMatchObject({ status: 429, code: 'quota_exceeded', quota: 'requests' })
  expect(problem.resetsAt).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/)
  const retryAt = Date.now() + 1000 * Number(refused.headers.get('retry-after'))
  expect(Math.abs(retryAt - Date.parse(problem.resetsAt))).toBeLessThan(60_000)

  await updateKey(shop.queue, id, { quota: { requests: 100, bytes: 1e12 } })
  await expect.poll(async () => (await answers(key, 1))[0], { interval: 20 }).toBe(200)
  const { quota } = (await (await shop.get('/api/v1/usage', bearer(key))).json()) as UsageJson
  expect(quota).toEqual({
    requests: { limit: 100, left: 100 - before - 7 - 2 },
    bytes: { limit: 1e12, left: expect.any(Number) },
    resetsAt: problem.resetsAt,
  })
  expect(await shop.json<UsageJson>('/api/v1/usage')).not.toHaveProperty('quota')
})

test('records of pages count, and the page that reaches the quota is whole', async () => {
  const { key } = await shop.addKey({ quota: { records: 25 } })
  const statuses: number[] = []
  for (let n = 0; n < 5; n++) statuses.push(...(await answers(key, 1)))
  expect(statuses).toEqual([200, 200, 200, 429, 429])
})

test('a quota ends open streams and lines', async () => {
  const { key } = await shop.addKey({ quota: { records: 100 } })
  const lines = await shop.get(`/api/v1/data/${orders}?format=ndjson&order=asc`, bearer(key))
  await expect(lines.text()).rejects.toThrow('terminated')
  expect(await answers(key, 1)).toEqual([429])
  const { key: other } = await shop.addKey({ quota: { records: 100 } })
  using client = await connect(`${shop.url}/ws/v1`, bearer(other))
  using stream = await openEvents(`${shop.url}/sse/v1?topics=${orders}`, bearer(other))
  await client.call('subscribe', { topics: [orders], from: 'earliest' })
  expect(await client.closed).toMatchObject({ code: 4402 })
  expect((await stream.readToEnd()).at(-1)).toMatchObject({ event: 'stream_error', data: { code: 'quota_exceeded' } })
})

test('a quota includes what other gateways have written, before and after the first request', async () => {
  const other = await shop.startAnother({ limits: { usageMs: 20 } })
  const { key, id } = await shop.addKey()
  await shop.waitForKey(other.url, key)
  const used = async () => {
    const now = Date.now()
    return sumUsage(await readUsage(shop.queue, { from: now - 3_600_000, to: now + 3_600_000, key: id })).requests
  }
  expect(await answers(key, 5, other.url)).not.toContain(429)
  await expect.poll(used).toBe(2 * before + 5)
  await updateKey(shop.queue, id, { quota: { requests: 20 } })
  const third = await shop.startAnother({ limits: { usageMs: 20 } })
  onTestFinished(() => third.close())
  await shop.waitForKey(third.url, key)
  expect(await answers(key, 5, other.url)).not.toContain(429)
  await expect.poll(used).toBe(2 * before + 5 + before + 5)
  await other.close()
  const left = 20 - (2 * before + 5 + before + 5)
  const statuses: number[] = []
  for (let n = 0; n < 20; n++) statuses.push(...(await answers(key, 1, third.url)))
  expect(served(statuses)).toBeLessThanOrEqual(left + 5)
  await third.close()
  const fourth = await shop.startAnother()
  onTestFinished(() => fourth.close())
  expect(await answers(key, 3, fourth.url)).toEqual([429, 429, 429])
})

test('while the usage of the month cannot be read, requests get 503, and a later one reads it', async () => {
  let isAway = true
  const queue: Queue = {
    ...shop.queue,
    highWatermark(topic, partition) {
      if (isAway && topic === '_headrace.usage') return Promise.reject(new QueueUnavailableError('The queue is away.'))
      return shop.queue.highWatermark(topic, partition)
    },
  }
  const gateway = await shop.startAnother({ queue })
  onTestFinished(() => gateway.close())
  const { key } = await shop.addKey({ quota: { requests: 1000 } })
  await shop.waitForKey(gateway.url, key)
  expect(await answers(key, 3, gateway.url)).toEqual([503, 503, 503])
  isAway = false
  expect(await answers(key, 3, gateway.url)).toEqual([200, 200, 200])
})
