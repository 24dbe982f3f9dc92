import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGatewayProcess } from '../programs/gateway-process.ts'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'
import { openRawSocket } from './raw-socket.ts'

const registered = 'https://app.example.org'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop()
  await shop.addKey({ origins: [registered] })
})
afterAll(() => shop[Symbol.asyncDispose]())

const data = `/api/v1/data/${orders}`
const preflight = (origin: string) => `Origin: ${origin}\r\nAccess-Control-Request-Method: GET\r\n`

/** A request without a key, and its response, which does not depend on the body. */
const requests = [
  ['POST /nothing', '', '404', 'path_not_found'],
  ['PATCH /', '', '405', 'method_not_allowed'],
  ['PATCH /other', '', '404', 'path_not_found'],
  ['QUERY /api/v1/nothing', '', '404', 'path_not_found'],
  ['OPTIONS /nothing', '', '404', 'path_not_found'],
  ['GET /nothing', '', '404', 'path_not_found'],
  ['OPTIONS /api/v1/topics', '', '204', undefined],
  [`OPTIONS ${data}`, preflight(registered), '204', undefined],
  [`OPTIONS ${data}`, preflight('https://evil.example'), '403', 'origin_not_allowed'],
  [`PUT ${data}`, '', '405', 'method_not_allowed'],
  ['QUERY /sse/v1', '', '405', 'method_not_allowed'],
  ['DELETE /ws/v1', '', '405', 'method_not_allowed'],
] as const

/** Headers and beginning of a body. The clients send no more of it. */
const bodies = [
  ['that does not end', 'Content-Type: application/json\r\nContent-Length: 1000', '{'],
  ['in chunks that do not end', 'Content-Type: application/json\r\nTransfer-Encoding: chunked', '1\r\n{\r\n'],
  ['that is too large', 'Content-Type: application/json\r\nContent-Length: 99999999999', '{'],
  ['that is not JSON', 'Content-Type: application/json\r\nContent-Length: 1', '{'],
  ['that is empty', 'Content-Type: application/json\r\nContent-Length: 0', ''],
  ['without a type', 'Content-Length: 1', 'x'],
  ['of an unknown type', 'Content-Type: application/x-unknown\r\nContent-Length: 1', 'x'],
  ['of a type that is not a media type', 'Content-Type: ;;;\r\nContent-Length: 1', 'x'],
] as const

describe.each(requests)('%s %j', (line, headers, status, code) => {
  // The reading of a body depends only on the kind of response, not on the path.
  const everyBody = ['POST /nothing', 'OPTIONS /api/v1/topics', `PUT ${data}`].includes(line)
  test.each(everyBody ? bodies : bodies.slice(0, 2))(
    'is answered before its body has arrived: %s',
    async (_, bodyHeaders, body) => {
      using raw = await openRawSocket(shop.url)
      raw.socket.write(`${line} HTTP/1.1\r\nHost: x\r\n${headers}${bodyHeaders}\r\n\r\n${body}`)
      const answer = await raw.until('answer', () => {
        const text = raw.received.toString('latin1')
        return text.includes('\r\n\r\n') && (code === undefined || text.endsWith('}')) ? text : undefined
      })
      expect(answer.split(' ')[1]).toBe(status)
      expect(/"code":"(\w+)"/.exec(answer)?.[1]).toBe(code)
      if (code) expect(answer).toMatch(/^content-type: application\/problem\+json\r$/im)
    },
  )
})

test('a refused request is not logged as a failure, whatever its body is', () => {
  expect(shop.logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([])
})

test('the gateway does not keep bodies in memory', async () => {
  await using gateway = await startGatewayProcess(shop)
  const body = Buffer.alloc(900_000, ' ')
  const before = (await gateway.state()).memory
  const clients = await Promise.all(Array.from({ length: 60 }, () => openRawSocket(gateway.url)))
  for (const [n, { socket }] of clients.entries()) {
    const line = n % 2 === 0 ? 'POST /nothing' : 'OPTIONS /api/v1/topics'
    socket.write(`${line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`)
    await new Promise((resolve) => socket.write(body, resolve))
  }
  for (const client of clients) await client.until('answer', () => (client.received.length > 0 ? true : undefined))
  // One garbage collection does not free the buffers that were received last.
  const grown = async () => (await gateway.state()).memory - before
  await expect.poll(grown, { timeout: 10_000 }).toBeLessThan((clients.length * body.length) / 2)
  for (const client of clients) client[Symbol.dispose]()
})
