import { once } from 'node:events'
import { request } from 'node:http'
import { connect as connectSocket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from './clients/json-rpc-client.ts'
import { numbers, seqsOf } from './clients/shapes.ts'
import { orders, type ServedShop, serveShop } from './shop/served-shop.ts'

const note = 'x'.repeat(16_000)

test('a slow client gets every record once, and others do not wait for it', async () => {
  await using shop = await serveShop({ limits: { feedBytes: 100_000, historyBytes: 1_500_000 } })
  using slow = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  using quick = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  await slow.call('subscribe', { topics: [orders] })
  await quick.call('subscribe', { topics: [orders] })
  slow.ws.pause()
  const count = 2500
  for (let n = 0; n < count; n += 50) await shop.publish(orders, 50, () => ({ note: 'x'.repeat(4000) }))
  expect(seqsOf(await quick.notifications('subscription', count))).toEqual(numbers(0, count))
  expect(slow.messages.length).toBeLessThan(count)
  slow.ws.resume()
  expect(seqsOf(await slow.notifications('subscription', count))).toEqual(numbers(0, count))
})

test('a client that reads nothing is disconnected, and occupies little memory until then', async () => {
  await using shop = await serveShop({ limits: { stallMs: 200 } })
  using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  await client.call('subscribe', { topics: [orders] })
  client.ws.pause()
  for (let n = 0; n < 1000; n += 50) await shop.publish(orders, 50, () => ({ note }))
  const line = await shop.logs('stream ended')
  expect(line).toMatchObject({ reason: 'slow_consumer' })
  expect(line.unsent).toBeLessThan(1 << 20)
  client.ws.resume()
  expect(await client.closed).toMatchObject({ code: 4410 })
})

describe('with a topic that is larger than the buffers of a connection', () => {
  const count = 1000
  let shop: ServedShop
  beforeAll(async () => {
    shop = await serveShop({ limits: { stallMs: 200 } })
    for (let n = 0; n < count; n += 50) await shop.publish(orders, 50, () => ({ note }))
  })
  afterAll(() => shop[Symbol.asyncDispose]())

  test.each([
    ['requests lines', `/api/v1/data/${orders}?format=ndjson`],
    ['has an event stream', `/sse/v1?topics=${orders}&from=earliest`],
  ])('a client that %s and reads nothing is disconnected', async (_, path) => {
    const socket = connectSocket(Number(new URL(shop.url).port), '127.0.0.1')
    socket.write(`GET ${path}&api_key=${shop.key} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    await once(socket, 'readable')
    await shop.logs('request', { url: `${path}&api_key=…`, status: 200, complete: false })
    const chunks: Buffer[] = []
    socket.on('data', (bytes) => chunks.push(bytes)).on('error', () => {})
    await new Promise((closed) => socket.once('close', closed))
    const text = Buffer.concat(chunks).toString('latin1')
    expect(text).toMatch(/^HTTP\/1.1 200 /)
    expect(text).not.toMatch(/\r\n0\r\n\r\n$/)
  })

  test('a client of lines that stops reading for a while gets all records', async () => {
    const another = await shop.startAnother({ limits: {} })
    await shop.waitForKey(another.url, shop.key)
    const call = request(`${another.url}/api/v1/data/${orders}?format=ndjson&order=asc&api_key=${shop.key}`)
    call.end()
    const [response] = await once(call, 'response')
    response.pause()
    await once(response, 'readable')
    let text = ''
    for await (const chunk of response) text += chunk
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => Number(JSON.parse(line).seq)),
    ).toEqual(numbers(0, count))
    await another.close()
  })
})

test('a client that requests a page and reads nothing is disconnected', async () => {
  await using shop = await serveShop({ limits: { stallMs: 200, pageBytes: 16 << 20 } })
  for (let n = 0; n < 1000; n += 100) await shop.publish(orders, 100, () => ({ note }))
  const target = `/api/v1/data/${orders}?limit=1000&api_key=${shop.key}`
  const socket = connectSocket(Number(new URL(shop.url).port), '127.0.0.1')
  socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  await once(socket, 'readable')
  expect(await shop.logs('request', { status: 200, complete: false })).toMatchObject({ key: shop.keyId })
  socket.destroy()
})
