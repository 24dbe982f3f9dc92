import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../clients/json-rpc-client.ts'
import { type ServedShop, serveShop } from '../shop/served-shop.ts'
import { frame } from './frames.ts'
import { openRawWebSocket } from './raw-web-socket.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

/** The number of remaining requests of a key, without the one that this call uses. */
async function leftOf(key: string): Promise<number> {
  const response = await shop.get('/api/v1/topics', { authorization: `Bearer ${key}` })
  return Number(/r=(\d+)/.exec(response.headers.get('ratelimit')!)![1])
}

describe('an invalid message', () => {
  test.each([
    ['is not JSON', '{'],
    ['is not a request', '{}'],
    ['is an empty batch', '[]'],
    ['is a batch of too many requests', JSON.stringify(Array(21).fill(1))],
    ['names an unknown method', '{"jsonrpc":"2.0","id":null,"method":"no such method"}'],
  ])('takes a request from the rate of the key if it %s', async (_, text) => {
    const { key } = await shop.addKey({ rate: 1, burst: 20 })
    using client = await connect(`${shop.url}/ws/v1?api_key=${key}`)
    for (let n = 0; n < 30; n++) client.ws.send(text)
    await expect.poll(() => client.messages.length).toBe(30)
    expect(client.messages[0]).not.toMatchObject({ error: { code: -32005 } })
    expect(client.messages.at(-1)).toEqual({
      ...{ jsonrpc: '2.0', id: null },
      error: { code: -32005, message: expect.any(String), data: { code: 'rate_limited', retryAfterMs: 1000 } },
    })
  })
})

test.each([
  ['messages that are not calls', '{'],
  ['calls', '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
  ['notifications', '{"jsonrpc":"2.0","method":"ping"}'],
])('a client that continues with %s above its rate is disconnected, and no more is handled', async (_, payload) => {
  const { key } = await shop.addKey({ rate: 1, burst: 20 })
  using flood = await openRawWebSocket({ url: shop.url, key })
  const { socket } = flood.raw
  const frames = Buffer.concat(Array(1000).fill(frame({ payload })))
  const sendMore = () => {
    while (socket.writable && socket.write(frames));
  }
  socket.on('drain', sendMore)
  sendMore()
  expect(await flood.closed()).toBe(4429)
  await shop.logs('stream ended', { reason: 'rate_limited' })
})

test('the messages of a disconnected client are not handled', async () => {
  const { key, id } = await shop.addKey({ rate: 1, burst: 20_000 })
  using client = await openRawWebSocket({ url: shop.url, key })
  const { socket } = client.raw
  const calls = Array(2000).fill(frame({ payload: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }))
  await new Promise((resolve) => socket.write(Buffer.concat(calls), resolve))
  socket.resetAndDestroy()
  await shop.logs('websocket closed', { key: id })
  const left = await leftOf(key)
  for (let n = 0; n < 3000; n++) await nextTurn()
  expect(await leftOf(key)).toBeGreaterThanOrEqual(left - 1)
})
