import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { systemTopics } from '@headrace/catalog'
import { type Queue, QueueUnavailableError } from '@headrace/queue'
import { readUsage, sumUsage, type UsageCounts } from '@headrace/server'
import { expect, test } from 'vitest'
import { openEvents } from './clients/event-stream.ts'
import { connect } from './clients/json-rpc-client.ts'
import { orders, type ServedShop, serveShop } from './shop/served-shop.ts'

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const path = `/api/v1/data/${orders}`

/** The stored usage of a key. */
async function usageOf({ queue }: ServedShop, key: string): Promise<UsageCounts> {
  const now = Date.now()
  return sumUsage(await readUsage(queue, { from: now - 3_600_000, to: now + 3_600_000, key }))
}

test('the usage of a key includes all protocols after its gateway has closed', async () => {
  await using shop = await serveShop()
  await shop.publish(orders, 50)
  const { key, id } = await shop.addKey({ rate: 1000, burst: 1000 })
  const before = 1 // by which the gateway was found to know the key
  for (let n = 0; n < 4; n++) await (await shop.get(`${path}?limit=10`, bearer(key))).text()
  await (await shop.get(`${path}?format=ndjson&order=asc`, bearer(key))).text()
  await (await shop.get(`${path}?limit=0`, bearer(key))).text()
  using client = await connect(`${shop.url}/ws/v1`, bearer(key))
  await client.call('subscribe', { topics: [orders], from: 'earliest' })
  await client.notifications('subscription', 50)
  await client.call('ping')
  using stream = await openEvents(`${shop.url}/sse/v1?topics=${orders}&from=last:5`, bearer(key))
  await stream.take('message', 5)
  await shop.gateway.close()
  const used = await usageOf(shop, id)
  expect(used).toMatchObject({ requests: before + 4 + 1 + 1 + 3 + 1, refused: 0, records: 4 * 10 + 50 + 50 + 5 })
  expect(used.bytes).toBeGreaterThan(55 * 300)
})

test('bytes are those on the wire, headers and frames included', async () => {
  await using shop = await serveShop({ limits: { usageMs: 20 } })
  await shop.publish(orders, 50)
  const { key, id } = await shop.addKey()
  await expect.poll(async () => (await usageOf(shop, id)).requests).toBe(1)
  const { bytes } = await usageOf(shop, id)
  const call = request(shop.url + path, { headers: bearer(key), agent: false })
  const [response] = (await once(call.end(), 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  const answered = response.socket.bytesRead
  await expect.poll(async () => (await usageOf(shop, id)).bytes).toBe(bytes + answered)

  using client = await connect(`${shop.url}/ws/v1`, bearer(key))
  const { _socket: socket } = client.ws as unknown as { readonly _socket: Socket }
  await client.call('subscribe', { topics: [orders], from: 'earliest' })
  await client.notifications('subscription', 50)
  await expect.poll(async () => (await usageOf(shop, id)).bytes).toBe(bytes + answered + socket.bytesRead)
})

test('refused requests are counted separately', async () => {
  await using shop = await serveShop()
  const { key, id } = await shop.addKey({ rate: 1, burst: 4, origins: ['https://example.org'], connections: 1 })
  const statuses = []
  for (let n = 0; n < 6; n++) statuses.push((await shop.get(path, bearer(key))).status)
  const origin = { ...bearer(key), origin: 'https://example.com' }
  expect((await shop.get(path, origin)).status).toBe(403)
  await shop.gateway.close()
  const { requests, refused } = await usageOf(shop, id)
  expect(requests).toBe(1 + statuses.filter((status) => status === 200).length)
  expect(refused).toBe(1 + statuses.filter((status) => status === 429).length)
})

test('connection seconds are counted while connections are open', async () => {
  await using shop = await serveShop({ limits: { usageMs: 50 } })
  const { key, id } = await shop.addKey()
  const opened = performance.now()
  const clients = await Promise.all(Array.from({ length: 4 }, () => connect(`${shop.url}/ws/v1`, bearer(key))))
  await expect.poll(async () => (await usageOf(shop, id)).connectionSeconds, { timeout: 20_000 }).toBeGreaterThan(3)
  for (const client of clients) client[Symbol.dispose]()
  await shop.gateway.close()
  const most = (4 * (performance.now() - opened)) / 1000
  expect((await usageOf(shop, id)).connectionSeconds).toBeLessThanOrEqual(Math.ceil(most) + 1)
})

test('usage of several gateways is one record for each, and is summed when it is read', async () => {
  await using shop = await serveShop({ limits: { usageMs: 20 } })
  const other = await shop.startAnother()
  const { key, id } = await shop.addKey({ rate: 1000, burst: 1000 })
  await expect.poll(async () => (await fetch(other.url + path, { headers: bearer(key) })).status).toBe(200)
  // One request on each gateway was used to wait for the key.
  const before = 2
  for (const url of [shop.url, other.url])
    for (let n = 0; n < 10; n++) await (await fetch(url + path, { headers: bearer(key) })).text()
  await other.close()
  await shop.gateway.close()
  expect((await usageOf(shop, id)).requests).toBe(before + 20)
  const keys = new Set<string>()
  const read = await shop.queue.read({ topic: systemTopics.usage, partition: 0, offset: 0n }, { maxBytes: 1 << 24 })
  for (const batch of read.batches) for (const record of batch.records()) keys.add(Buffer.from(record.key!).toString())
  const ofKey = [...keys].filter((text) => text.startsWith(`${id}/`))
  expect(new Set(ofKey.map((text) => text.split('/')[2])).size).toBe(2)
  for (const text of ofKey) expect(text).toMatch(/^[0-9a-f]{16}\/\d{4}-\d\d-\d\dT\d\d:00:00Z\/[0-9a-f]{16}$/)
})

test('a key can read its own usage by hour', async () => {
  await using shop = await serveShop({ limits: { usageMs: 20 } })
  await shop.publish(orders, 3)
  const [one, two] = [await shop.addKey({ name: 'one' }), await shop.addKey({ name: 'two' })]
  for (let n = 0; n < 5; n++) await (await shop.get(path, bearer(one.key))).text()
  await (await shop.get(path, bearer(two.key))).text()
  const usage = async (key: string, query = '') =>
    (await (await shop.get(`/api/v1/usage${query}`, bearer(key))).json()) as {
      readonly key: unknown
      readonly total: UsageCounts
      readonly hours: readonly (UsageCounts & { readonly hour: string })[]
    }
  await expect.poll(async () => (await usage(two.key)).total.records).toBe(3)
  const { key, total, hours } = await usage(one.key)
  expect(key).toEqual({ id: one.id, name: 'one' })
  expect(total.records).toBe(15)
  expect(hours.map(({ hour }) => hour)).toEqual(hours.map(() => expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00Z$/)))
  expect(sumUsage(hours)).toEqual(total)
  expect((await usage(one.key, '?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z')).hours).toEqual([])
  // Each request for usage is itself counted, and may have been written before the next one.
  expect((await usage(one.key, '?from=-31d')).total.records).toBe(15)
  for (const query of ['?from=earliest', '?from=-745h', '?to=soon', '?from=-1h&from=-2h', '?key=x', '?from=AQAA'])
    expect([query, (await shop.get(`/api/v1/usage${query}`, bearer(one.key))).status]).toEqual([query, 400])
})

test('a limited number of requests for usage may wait, and others are refused', async () => {
  await using shop = await serveShop({ limits: { usageReads: 2 } })
  const reading = Promise.withResolvers<void>()
  const queue: Queue = {
    ...shop.queue,
    async offsetForTime(topic, ...args) {
      if (topic === systemTopics.usage) await reading.promise
      return shop.queue.offsetForTime(topic, ...args)
    },
  }
  const gateway = await shop.startAnother({ queue })
  const ask = () => fetch(`${gateway.url}/api/v1/usage`, { headers: bearer(shop.key) })
  const answered: (readonly [status: number, retryAfter: string | null])[] = []
  const asked = Array.from({ length: 5 }, async () => {
    const { status, headers } = await ask()
    answered.push([status, headers.get('retry-after')])
  })
  await expect.poll(() => answered).toEqual(Array.from({ length: 3 }, () => [503, '1']))
  reading.resolve()
  await Promise.all(asked)
  expect(answered.slice(3)).toEqual(Array.from({ length: 2 }, () => [200, null]))
  expect((await ask()).status).toBe(200)
  await gateway.close()
})

test('usage that cannot be written is written later, and none is lost', async () => {
  await using shop = await serveShop()
  const { key, id } = await shop.addKey({ rate: 1000, burst: 1000 })
  let failures = 0
  const queue: Queue = {
    ...shop.queue,
    append(records) {
      if (failures >= 3) return shop.queue.append(records)
      failures++
      return Promise.reject(new QueueUnavailableError('The queue is away.'))
    },
  }
  const other = await shop.startAnother({ queue, limits: { usageMs: 20 } })
  await expect.poll(async () => (await fetch(other.url + path, { headers: bearer(key) })).status).toBe(200)
  for (let n = 0; n < 9; n++) await (await fetch(other.url + path, { headers: bearer(key) })).text()
  await expect.poll(async () => (await usageOf(shop, id)).requests).toBe(10)
  expect(failures).toBe(3)
  expect(await shop.logs('usage cannot be written, trying again')).toMatchObject({ level: 40 })
  await other.close()
})

test('a gateway whose usage cannot be written closes in time and logs the loss', async () => {
  await using shop = await serveShop()
  const queue: Queue = { ...shop.queue, append: () => new Promise(() => undefined) }
  const other = await shop.startAnother({ queue, limits: { drainMs: 200 } })
  await expect.poll(async () => (await fetch(other.url + path, { headers: bearer(shop.key) })).status).toBe(200)
  await other.close()
  expect(await shop.logs('usage not written, its last seconds are lost')).toMatchObject({ level: 40, records: 1 })
})
