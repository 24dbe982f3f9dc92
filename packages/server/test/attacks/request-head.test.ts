import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'
import { openRawSocket } from './raw-socket.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop()
  await shop.publish(orders, 1)
})
afterAll(() => shop[Symbol.asyncDispose]())

const upgrade =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'

interface Answer {
  readonly status: number
  readonly code: string | undefined
  readonly head: string
  readonly requestId: string | undefined
}

/** The first response to bytes. */
async function answerTo(text: string): Promise<Answer> {
  using raw = await openRawSocket(shop.url)
  raw.socket.write(text)
  return await raw.until('answer', () => {
    const [head = '', body] = raw.received.toString('latin1').split('\r\n\r\n', 2)
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
    if (body === undefined || (status >= 400 && !body.endsWith('}'))) return undefined
    const { code, requestId } = status >= 400 ? JSON.parse(body) : {}
    return { status, code, head, requestId }
  })
}

/** For each protocol a target, headers, and the response to a valid request. */
const protocols = [
  ['REST', `/api/v1/data/${orders}?limit=1&`, '', 200],
  ['SSE', `/sse/v1?topics=${orders}&`, '', 200],
  ['WebSocket', '/ws/v1?', upgrade, 101],
] as const

describe.each(protocols)('the head of a request over %s', (_, target, others, accepted) => {
  const get = (headers: string, version = 'HTTP/1.1') =>
    answerTo(`GET ${target}api_key=${shop.key} ${version}\r\n${headers}${others}\r\n`)

  test.each([
    'Host: x\r\n',
    'Host:\r\n',
    'host:  127.0.0.1:8080 \r\n',
    'Host: [::1]:8080\r\n',
    'Host: a-b.example.org:\r\n',
    'Host: a%20b\r\n',
  ])('may have %j', async (headers) => {
    expect((await get(headers)).status).toBe(accepted)
  })

  test.each([
    '',
    'Host: x\r\nHost: x\r\n',
    'Host: x\r\nhOST: y\r\n',
    'Host: a b/c\r\n',
    'Host: a/b\r\n',
    'Host: a,b c\r\n',
    'Host: http://x\r\n',
    'Host: user@x\r\n',
    'Host: x:80:80\r\n',
    'Host: x:port\r\n',
    'Host: [::1\r\n',
    'Host: a%2\r\n',
  ])('is malformed with the host %j', async (headers) => {
    const { status, code, head, requestId } = await get(headers)
    expect([status, code]).toEqual([400, 'malformed_request'])
    expect(/^x-request-id: (.*)$/im.exec(head)?.[1]).toBe(requestId)
  })

  test.each(['HTTP/2.0', 'HTTP/0.9'])('is malformed with the version %s', async (version) => {
    const { status, code } = await get('Host: x\r\n', version)
    expect([status, code]).toEqual([400, 'malformed_request'])
  })

  test('may expect 100-continue only', async () => {
    const { status, code, head, requestId } = await get('Host: x\r\nExpect: magic\r\n')
    expect([status, code]).toEqual([417, 'expectation_failed'])
    expect(/^x-request-id: (.*)$/im.exec(head)?.[1]).toBe(requestId)
  })

  test.each([
    ['in absolute form', (path: string) => `http://x${path}`],
    ['in absolute form of https', (path: string) => `HTTPS://x:1${path}`],
    ['percent-encoded', (path: string) => path.replace('v1', '%76%31')],
  ])('has the same target %s', async (_, write) => {
    const line = `GET ${write(`${target}api_key=${shop.key}`)} HTTP/1.1`
    expect((await answerTo(`${line}\r\nHost: x\r\n${others}\r\n`)).status).toBe(accepted)
  })

  test('is malformed if its path is not valid percent-encoding', async () => {
    const { status, code } = await answerTo(`GET /%zz${target} HTTP/1.1\r\nHost: x\r\n${others}\r\n`)
    expect([status, code]).toEqual([400, 'malformed_request'])
  })
})

test('a WebSocket subprotocol is not confirmed', async () => {
  const offer = `${upgrade}Sec-WebSocket-Protocol: graphql-ws, mqtt\r\n`
  const { status, head } = await answerTo(`GET /ws/v1?api_key=${shop.key} HTTP/1.1\r\nHost: x\r\n${offer}\r\n`)
  expect(status).toBe(101)
  expect(head).not.toMatch(/^sec-websocket-protocol:/im)
})

test('a query that begins with another question mark has an unknown parameter', async () => {
  for (const path of [`/api/v1/data/${orders}??`, `/sse/v1??topics=${orders}`]) {
    const line = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.key}\r\n\r\n`
    expect(await answerTo(line)).toMatchObject({ status: 400, code: 'invalid_parameter' })
  }
})

test('HTTP/1.0 needs no Host header', async () => {
  expect((await answerTo('GET /health/live HTTP/1.0\r\n\r\n')).status).toBe(200)
  expect((await answerTo('GET /health/live HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n')).status).toBe(400)
})

test('a client that waits for 100 Continue is answered at once', async () => {
  const head = 'Host: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n'
  expect(await answerTo(`POST /api/v1/topics HTTP/1.1\r\n${head}`)).toMatchObject({ status: 405 })
  expect(await answerTo(`GET /health/live HTTP/1.1\r\n${head}`)).toMatchObject({ status: 200 })
})

test('CONNECT is refused, and not within another response', async () => {
  const connect = 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n'
  const { status, code, head, requestId } = await answerTo(connect)
  expect([status, code]).toEqual([405, 'method_not_allowed'])
  expect(/^x-request-id: (.*)$/im.exec(head)?.[1]).toBe(requestId)
  expect(await shop.logs('request refused', { requestId })).toMatchObject({ status: 405, url: 'example.org:443' })

  using raw = await openRawSocket(shop.url)
  raw.socket.write(`GET /sse/v1?topics=${orders}&api_key=${shop.key} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await raw.until('event', () => (raw.received.includes('event: ready') ? true : undefined))
  raw.socket.write(connect)
  expect(await raw.readToEnd()).not.toContain('405')
})
