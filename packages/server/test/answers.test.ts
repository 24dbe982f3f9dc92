import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { type Queue, QueueUnavailableError } from '@headrace/queue'
import type { Gateway } from '@headrace/server'
import { describe, expect, test } from 'vitest'
import { openRawSocket } from './attacks/raw-socket.ts'
import { orders, serveShop } from './shop/served-shop.ts'

const path = `/api/v1/data/${orders}`
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const note = 'x'.repeat(16_000)

/** The values of a metric, of a histogram its counts, by their labels other than `gateway`. */
async function metricOf(gateway: Gateway, name: string): Promise<Readonly<Record<string, number>>> {
  const found = (await gateway.metrics()).find((metric) => metric.name === `headrace_gateway_${name}`)!
  return Object.fromEntries(
    found.values
      .filter((value) => !('metricName' in value) || `${value.metricName}`.endsWith('_count'))
      .map(({ labels: { gateway: _, ...labels }, value }) => [Object.values(labels).join(' '), value]),
  )
}

/** Sends a request on its own connection, and resolves when the response begins. */
async function ask(url: string, headers: Record<string, string>, method = 'GET'): Promise<IncomingMessage> {
  const [response] = await once(request(url, { headers, method, agent: false }).end(), 'response')
  return response
}

describe('a response whose client disconnects', () => {
  test('is logged, counted and added to usage once: lines', async () => {
    await using shop = await serveShop()
    for (let n = 0; n < 1000; n += 50) await shop.publish(orders, 50, () => ({ note }))
    const response = await ask(`${shop.url}${path}?format=ndjson`, bearer(shop.key))
    await once(response, 'readable')
    response.destroy()
    const requestId = response.headers['x-request-id']
    const line = { status: 200, complete: false, key: shop.keyId, remote: '127.0.0.1' }
    expect(await shop.logs('request', { requestId })).toMatchObject(line)
    expect(shop.logged.filter((text) => text.includes(`"${requestId}"`))).toHaveLength(1)
    expect(await metricOf(shop.gateway, 'request_duration_seconds')).toMatchObject({ '/api/v1/data/:topic 200': 1 })
    expect((await metricOf(shop.gateway, 'bytes_sent_total')).rest).toBeGreaterThan(64 << 10)
  })

  test('is logged and counted once: an event stream, which counts its own bytes', async () => {
    await using shop = await serveShop()
    await shop.publish(orders, 50)
    const before = (await metricOf(shop.gateway, 'bytes_sent_total')).rest
    const response = await ask(`${shop.url}/sse/v1?topics=${orders}&from=earliest`, bearer(shop.key))
    const { bytesRead } = await readUntil(response, '"seq":"49"')
    response.destroy()
    const line = { requestId: response.headers['x-request-id'], status: 200, complete: false }
    await shop.logs('request', line)
    expect(await metricOf(shop.gateway, 'request_duration_seconds')).toMatchObject({ '/sse/v1 200': 1 })
    expect(await metricOf(shop.gateway, 'bytes_sent_total')).toMatchObject({ rest: before, sse: bytesRead })
  })

  test('is logged without a status and not counted if nothing was sent', async () => {
    await using shop = await serveShop()
    const described = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const queue: Queue = {
      ...shop.queue,
      async describe(topics) {
        if (topics?.includes(orders)) {
          asked.resolve()
          await described.promise
        }
        return shop.queue.describe(topics)
      },
    }
    const gateway = await shop.startAnother({ queue })
    using raw = await openRawSocket(gateway.url)
    raw.socket.write(`GET ${path}?api_key=${shop.key}&limit=7 HTTP/1.1\r\nHost: x\r\n\r\n`)
    await asked.promise
    raw.socket.destroy()
    const line = await shop.logs('request', { url: `${path}?api_key=…&limit=7` })
    expect(line).toMatchObject({ complete: false })
    expect(line).not.toHaveProperty('status')
    expect(await metricOf(gateway, 'request_duration_seconds')).toEqual({})
    described.resolve()
    await gateway.close()
  })
})

test('the last bytes of an event stream that the gateway ends count for the stream', async () => {
  await using shop = await serveShop({ limits: { maxAgeMs: 300 } })
  await shop.publish(orders, 5)
  const before = (await metricOf(shop.gateway, 'bytes_sent_total')).rest
  const response = await ask(`${shop.url}/sse/v1?topics=${orders}&from=earliest`, bearer(shop.key))
  const { socket } = response
  for await (const _ of response);
  await shop.logs('request', { requestId: response.headers['x-request-id'], status: 200, complete: true })
  const { bytesRead } = socket
  expect(await metricOf(shop.gateway, 'bytes_sent_total')).toMatchObject({ rest: before, sse: bytesRead })
})

test('lines that fail end without the last chunk, and the log has the error', async () => {
  await using shop = await serveShop()
  for (let n = 0; n < 2000; n += 100) await shop.publish(orders, 100, () => ({ note: 'x'.repeat(2000) }))
  const queue: Queue = {
    ...shop.queue,
    read: async (at, limits) => {
      if (at.topic === orders && at.offset > 1000n && at.offset < 1500n) throw new QueueUnavailableError('away')
      return shop.queue.read(at, limits)
    },
  }
  const gateway = await shop.startAnother({ queue })
  const response = await ask(`${gateway.url}${path}?format=ndjson&order=asc`, bearer(shop.key))
  await expect(response.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' })
  const requestId = response.headers['x-request-id']
  expect(await shop.logs('lines cut short', { requestId })).toMatchObject({ level: 50, err: { message: 'away' } })
  await shop.logs('request', { requestId, status: 200, complete: false })
  await gateway.close()
})

test('HEAD of a page counts no records', async () => {
  await using shop = await serveShop()
  await shop.publish(orders, 20)
  for (const query of ['', '?format=ndjson']) {
    const response = await ask(`${shop.url}${path}${query}`, bearer(shop.key), 'HEAD')
    expect(response.statusCode).toBe(200)
    await shop.logs('request', { requestId: response.headers['x-request-id'], complete: true })
  }
  expect((await metricOf(shop.gateway, 'records_sent_total')).rest).toBe(0)
})

test('unread pages above the limit cause refusals of other pages until their clients disconnect', async () => {
  await using shop = await serveShop({ limits: { pageBytes: 16 << 20, unsentPageBytes: 1 } })
  for (let n = 0; n < 1000; n += 100) await shop.publish(orders, 100, () => ({ note: 'x'.repeat(16_000) }))
  using raw = await openRawSocket(shop.url)
  raw.socket.write(`GET ${path}?limit=1000&api_key=${shop.key} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await once(raw.socket, 'data')
  raw.socket.pause()
  const limited = () => shop.get(`${path}?limit=1`)
  const response = await limited()
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await response.json()).toMatchObject({ code: 'overloaded' })
  raw.socket.destroy()
  await expect.poll(async () => (await limited()).status, { timeout: 30_000 }).toBe(200)
})

describe('the id of an unreadable request', () => {
  test.each([
    ['an unknown HTTP version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400, 'request unreadable'],
    ['too large headers', `GET / HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}`, 431, 'request unreadable'],
    ['a path that is not percent-encoded', 'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400, 'request'],
    [
      'a topic that is too long',
      `GET ${path}${'x'.repeat(9000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      414,
      'request',
    ],
  ])('is in the problem document, the header and the log: %s', async (_, text, status, message) => {
    await using shop = await serveShop()
    using raw = await openRawSocket(shop.url)
    raw.socket.write(text)
    const [head = '', body = ''] = (await raw.readToEnd()).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    const { requestId } = JSON.parse(body)
    expect(/^x-request-id: (.*)$/im.exec(head)?.[1]).toBe(requestId)
    expect(await shop.logs(message, { requestId })).toMatchObject({ status })
  })
})

/** Reads up to a text, and returns the socket. */
async function readUntil(response: IncomingMessage, end: string): Promise<Socket> {
  let text = ''
  while (!text.includes(end)) {
    const chunk = response.read()
    if (chunk === null) await once(response, 'readable')
    else text += chunk
  }
  return response.socket
}
