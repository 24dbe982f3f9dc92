import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orders, returns, type ServedShop, serveShop } from '../shop/served-shop.ts'
import { openRawSocket, type RawSocket } from './raw-socket.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop({ limits: { headersMs: 1000, requestMs: 1000 } })
  for (let n = 0; n < 4000; n += 100) await shop.publish(orders, 100, () => ({ note: 'x'.repeat(1000) }))
})
afterAll(() => shop[Symbol.asyncDispose]())

const page = () => `GET /api/v1/data/${orders}?limit=3&api_key=${shop.key} HTTP/1.1\r\nHost: x\r\n\r\n`
const lines = () => `GET /api/v1/data/${orders}?format=ndjson&api_key=${shop.key} HTTP/1.1\r\nHost: x\r\n\r\n`
const stream = (headers = '') =>
  `GET /sse/v1?topics=${returns}&api_key=${shop.key} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
const upgrade = () =>
  `GET /ws/v1?api_key=${shop.key} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n'

const textOf = (raw: RawSocket) => raw.received.toString('latin1')
const statusesIn = (text: string) => Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => status)

/** Waits for a text, and returns everything received up to it. */
const readUntil = (raw: RawSocket, end: string) =>
  raw.until(end, () => (textOf(raw).includes(end) ? textOf(raw) : undefined))

describe('an upgrade', () => {
  test.each([
    ['a page', page, /"hasMore":true}HTTP\/1\.1 400 /],
    ['lines', lines, /\r\n0\r\n\r\nHTTP\/1\.1 400 /],
  ] as const)('behind %s is refused after the open responses', async (_, request, end) => {
    using raw = await openRawSocket(shop.url)
    raw.socket.write(request() + upgrade())
    const text = await readUntil(raw, '"requestId"')
    expect(statusesIn(text)).toEqual(['200', '400'])
    expect(text).toMatch(end)
    expect(text).toContain('"code":"malformed_request"')
  })

  test('behind an event stream does not disturb it', async () => {
    using raw = await openRawSocket(shop.url)
    raw.socket.write(stream())
    await readUntil(raw, 'event: ready')
    raw.socket.write(upgrade())
    await shop.publish(returns, 1)
    expect(statusesIn(await readUntil(raw, '"seq":"'))).toEqual(['200'])
  })

  test('behind a completed response is accepted', async () => {
    using raw = await openRawSocket(shop.url)
    raw.socket.write(page())
    await readUntil(raw, '"hasMore":true}')
    raw.socket.write(upgrade())
    expect(statusesIn(await readUntil(raw, 'Sec-WebSocket-Accept'))).toEqual(['200', '101'])
  })
})

describe('bytes that are not a request', () => {
  test.each([
    ['a page', page],
    ['lines', lines],
    ['several responses', () => page() + lines() + page()],
  ])('behind %s close the connection, and nothing is written into the open response', async (_, request) => {
    using raw = await openRawSocket(shop.url)
    raw.socket.write(`${request()}\u0000\u0001\r\n\r\n`)
    expect(statusesIn(await raw.readToEnd())).not.toContain('400')
    await shop.logs('request unreadable', { status: undefined })
  })

  test('behind an event stream end it without further bytes', async () => {
    using raw = await openRawSocket(shop.url)
    raw.socket.write(stream())
    await readUntil(raw, 'event: ready')
    raw.socket.write('\u0000\u0001\r\n\r\n')
    expect(statusesIn(await raw.readToEnd())).toEqual(['200'])
  })

  test('behind a completed response are answered', async () => {
    using raw = await openRawSocket(shop.url)
    raw.socket.write(page())
    await readUntil(raw, '"hasMore":true}')
    raw.socket.write('\u0000\u0001\r\n\r\n')
    expect(statusesIn(await raw.readToEnd())).toEqual(['200', '400'])
  })
})

test('a request whose body does not arrive in time ends its event stream without further bytes', async () => {
  using raw = await openRawSocket(shop.url)
  raw.socket.write(stream('Content-Length: 10\r\n'))
  await readUntil(raw, 'event: ready')
  expect(statusesIn(await raw.readToEnd())).toEqual(['200'])
})
