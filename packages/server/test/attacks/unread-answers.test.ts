import { expect, test } from 'vitest'
import { type ServedShop, serveShop } from '../shop/served-shop.ts'
import { frame, opcodes } from './frames.ts'
import { openRawWebSocket, type RawWebSocket } from './raw-web-socket.ts'

const unsentBytes = 64 << 10

/** Sends the same bytes repeatedly without reading, until the gateway stops reading or has ended the stream. */
async function floodUnread(shop: ServedShop, bytes: Buffer): Promise<RawWebSocket> {
  const client = await openRawWebSocket(shop)
  const { socket } = client.raw
  socket.pause()
  const ended = shop.logs('stream ended')
  const flood = () => {
    while (socket.writable && socket.write(bytes));
  }
  socket.on('drain', flood)
  flood()
  const line = await ended
  expect(line).toMatchObject({ reason: 'slow_consumer' })
  expect(line.unsent).toBeLessThan(unsentBytes + (1 << 20))
  return client
}

test('the gateway stops reading from a client that reads no answers, and disconnects it', async () => {
  await using shop = await serveShop({ limits: { unsentBytes, stallMs: 500, pingMs: 60_000 } })
  const call = { jsonrpc: '2.0', id: 1, method: 'no such method' }
  const batch = frame({ payload: JSON.stringify(Array(20).fill(call)) })
  using _client = await floodUnread(shop, Buffer.concat(Array(100).fill(batch)))
})

test('pings that arrive together are answered once', async () => {
  await using shop = await serveShop({ limits: { unsentBytes, pingMs: 60_000 } })
  using client = await openRawWebSocket(shop)
  const { socket } = client.raw
  socket.pause()
  const pings = Buffer.concat(Array(1000).fill(frame({ opcode: opcodes.ping, payload: 'x'.repeat(125) })))
  for (let n = 0; n < 20; n++) await new Promise<unknown>((resolve) => socket.write(pings, resolve))
  client.send(frame({ opcode: opcodes.ping, payload: 'last' }))
  socket.resume()
  let taken = 0
  while ((await client.pong()) !== 'last') taken++
  expect(taken).toBeLessThan((20 * 1000) / 10)
  expect((await shop.get('/health/live')).status).toBe(200)
})
