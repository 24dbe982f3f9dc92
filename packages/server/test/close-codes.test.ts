import { PositionLostError, type Queue, QueueUnavailableError } from '@headrace/queue'
import type { GatewayOptions } from '@headrace/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ClientOptions } from 'ws'
import { closeReasons } from '../src/websocket/close-codes.ts'
import { connect, type JsonRpcClient } from './clients/json-rpc-client.ts'
import { orders, returns, type ServedShop, serveShop } from './shop/served-shop.ts'

let shop: ServedShop
const history = 1000
beforeAll(async () => {
  shop = await serveShop()
  for (let n = 0; n < history; n += 250) await shop.publish(orders, 250)
})
afterAll(() => shop[Symbol.asyncDispose]())

/** Makes a gateway close a connection. */
interface Provocation {
  /** Options of the gateway. */
  readonly gateway?: () => Partial<GatewayOptions>
  readonly client?: ClientOptions
  /** Seconds until the token expires. Default: the client has a key. */
  readonly tokenFor?: number
  provoke(client: JsonRpcClient, given: Given): Promise<unknown> | unknown
}

interface Given {
  readonly keyId: string
  closeGateway(): Promise<void>
}

const subscribe = (client: JsonRpcClient, from = 'latest') => client.call('subscribe', { topics: [orders], from })

/** Sends bytes without the library, which would send only valid frames. */
function sendBytes(client: JsonRpcClient, ...bytes: number[]): void {
  const { _socket: socket } = client.ws as unknown as { readonly _socket: { write(bytes: Uint8Array): void } }
  socket.write(Uint8Array.from(bytes))
}

/** A queue in which a topic can be lost at any time. */
function losing(): { queue: Queue; lose: () => void } {
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined)
  return {
    queue: {
      ...shop.queue,
      async *follow(places, options) {
        if (places[0]?.topic !== orders) return yield* shop.queue.follow(places, options)
        await lost.promise
      },
    },
    lose: () =>
      lost.reject(new PositionLostError({ topic: orders, partition: 0, offset: 0n }, { earliest: 5n, end: 9n })),
  }
}

/** A queue that cannot be read in the middle of a topic. */
function unreadable(): Queue {
  return {
    ...shop.queue,
    read(at, limits) {
      if (at.topic === orders && at.offset > 400n) return Promise.reject(new QueueUnavailableError('away'))
      // One batch each time, so that a read begins there.
      return shop.queue.read(at, { ...limits, maxBytes: 1 })
    },
  }
}

let lose: () => void

const provocations: Readonly<Record<keyof typeof closeReasons, Provocation>> = {
  // A text frame with a reserved bit.
  protocolError: { provoke: (client) => sendBytes(client, 0xc1, 0x80, 0, 0, 0, 0) },
  unsupportedData: { provoke: (client) => client.ws.send(Buffer.of(1)) },
  invalidText: { provoke: (client) => sendBytes(client, 0x81, 0x81, 0, 0, 0, 0, 0xff) },
  tooManyFragments: {
    // Frames of one byte each. The last frame of the message is missing.
    provoke: (client) => {
      for (let n = 0; n <= 16_384; n++) client.ws.send('x', { fin: false })
    },
  },
  messageTooLarge: { provoke: (client) => client.ws.send('x'.repeat((64 << 10) + 1)) },
  draining: { gateway: () => ({}), provoke: (_, { closeGateway }) => closeGateway() },
  overloaded: {
    gateway: () => ({ queue: unreadable() }),
    provoke: (client) => subscribe(client, 'earliest'),
  },
  key_revoked: { provoke: (_, { keyId }) => shop.revokeKey(keyId) },
  token_expired: { tokenFor: 3, provoke: () => undefined },
  quota_exceeded: {
    async provoke(client, { keyId }) {
      await shop.changeKey(keyId, { quota: { records: 100 } })
      await subscribe(client, 'earliest')
    },
  },
  permission_lost: {
    async provoke(client, { keyId }) {
      await subscribe(client)
      await shop.changeKey(keyId, { topics: [returns] })
    },
  },
  slow_consumer: {
    gateway: () => ({ limits: { stallMs: 100, unsentBytes: 10_000 } }),
    async provoke(client) {
      await subscribe(client)
      client.ws.pause()
      for (let n = 0; n < 8; n++) await shop.publish(orders, 50, () => ({ note: 'x'.repeat(20_000) }))
      await shop.logs('stream ended', { reason: 'slow_consumer' })
      client.ws.resume()
    },
  },
  no_pong: { gateway: () => ({ limits: { pingMs: 50 } }), client: { autoPong: false }, provoke: () => undefined },
  max_age: { gateway: () => ({ limits: { maxAgeMs: 300 } }), provoke: () => undefined },
  position_unavailable: {
    gateway() {
      const { queue, lose: loseNow } = losing()
      lose = loseNow
      return { queue }
    },
    async provoke(client) {
      await subscribe(client)
      lose()
    },
  },
  rate_limited: {
    provoke(client) {
      for (let n = 0; n < 1000; n++) client.ws.send('{')
    },
  },
}

test.each(Object.entries(provocations))('%s closes a connection with its code', async (name, provocation) => {
  const { key, id } = await shop.addKey()
  const gateway = await (provocation.gateway ? shop.startAnother(provocation.gateway()) : undefined)
  const url = gateway?.url ?? shop.url
  if (gateway) await shop.waitForKey(url, key)
  const credential = provocation.tokenFor ? await shop.createToken(key, { expiresIn: provocation.tokenFor }) : key
  using client = await connect(`${url}/ws/v1?api_key=${credential}`, {}, provocation.client)
  await provocation.provoke(client, { keyId: id, closeGateway: async () => gateway!.close() })
  expect(await client.closed).toMatchObject({ code: closeReasons[name as keyof typeof closeReasons].code })
  await gateway?.close()
})

test('an expired key closes connections like a revoked one', async () => {
  const { key } = await shop.addKey({ expires: new Date(Date.now() + 1000) })
  using client = await connect(`${shop.url}/ws/v1?api_key=${key}`)
  expect(await client.closed).toMatchObject({ code: 4401 })
})
