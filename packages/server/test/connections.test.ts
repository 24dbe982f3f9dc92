import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openRawSocket } from './attacks/raw-socket.ts'
import { orders, serveShop } from './shop/served-shop.ts'

/** Sends bytes and receives the response, but keeps its end of the connection open. */
async function halfOpen(url: string, text: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  socket.resume().write(text)
  // A connection above the limit is reset, so its `end` never arrives.
  await new Promise((done) => socket.on('error', done).on('end', done).on('close', done))
  return socket
}

test.each([
  ['an upgrade', 'GET /ws/v1 HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
  ['bytes that are not a request', 'FOO\r\n\r\n'],
])('connections that stay open after a refusal do not exclude other clients: %s', async (_, text) => {
  const sockets = 20
  await using shop = await serveShop({ limits: { sockets } })
  const stayed = await Promise.all(Array.from({ length: sockets }, () => halfOpen(shop.url, text)))
  try {
    for (let n = 0; n < sockets; n++) {
      const health = () => shop.get('/health/live', { connection: 'close' }).then(({ status }) => status)
      await expect.poll(() => health().catch(() => 0), { timeout: 20_000 }).toBe(200)
      stayed.push(await halfOpen(shop.url, text))
    }
  } finally {
    for (const socket of stayed) socket.destroy()
  }
})

test('an event stream behind an open response is refused in order', async () => {
  await using shop = await serveShop()
  for (let n = 0; n < 500; n += 50) await shop.publish(orders, 50, () => ({ note: 'x'.repeat(16_000) }))
  using raw = await openRawSocket(shop.url)
  const paths = [`/api/v1/data/${orders}?format=ndjson`, `/sse/v1?topics=${orders}`]
  raw.socket.write(paths.map((path) => `GET ${path}&api_key=${shop.key} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''))
  const refused = () => (raw.received.includes('HTTP/1.1 400 ') ? true : undefined)
  await raw.until('an answer to the second request', refused)
  expect(raw.received.toString()).toContain('"code":"malformed_request"')
})
