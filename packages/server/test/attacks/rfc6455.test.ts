import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServedShop, serveShop } from '../shop/served-shop.ts'
import { closeFrame, fragments, frame, opcodes } from './frames.ts'
import { openRawWebSocket, type RawWebSocket } from './raw-web-socket.ts'
import { type Watch, watchShop } from './watch-shop.ts'

let shop: ServedShop
let watch: Watch
beforeAll(async () => {
  shop = await serveShop()
  watch = await watchShop(shop)
})
afterAll(async () => {
  await watch.finish()
  await shop[Symbol.asyncDispose]()
})

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const pong = { jsonrpc: '2.0', id: 1, result: 'pong' }

describe('what RFC 6455 allows is accepted', () => {
  const sent: Record<string, (client: RawWebSocket) => void> = {
    'a message in one frame': ({ send }) => send(frame({ payload: ping })),
    'a message in fragments': ({ send }) => send(...fragments([ping.slice(0, 5), ping.slice(5, 20), ping.slice(20)])),
    'a message with empty fragments': ({ send }) => send(...fragments(['', '', ping, '', ''])),
    'a Ping and a Pong between fragments': ({ send }) => {
      const [first, second] = fragments([ping.slice(0, 9), ping.slice(9)])
      const [pingFrame, pongFrame] = [
        frame({ opcode: opcodes.ping }),
        frame({ opcode: opcodes.pong, payload: 'unrequested' }),
      ]
      send(first!, pingFrame, pongFrame, second!)
    },
    'an empty Ping': ({ send }) => send(frame({ opcode: opcodes.ping }), frame({ payload: ping })),
  }
  test.each(Object.keys(sent))('%s', async (name) => {
    using client = await openRawWebSocket(shop)
    sent[name]!(client)
    expect(await client.message()).toEqual(pong)
  })

  test('a message that arrives byte by byte', async () => {
    using client = await openRawWebSocket(shop)
    client.raw.socket.setNoDelay(true)
    for (const byte of frame({ payload: ping }))
      await new Promise<unknown>((resolve) => client.raw.socket.write(Buffer.of(byte), resolve))
    expect(await client.message()).toEqual(pong)
  })

  test('many messages in one segment, which are answered in their order', async () => {
    using client = await openRawWebSocket(shop)
    const ids = Array.from({ length: 100 }, (_, id) => id)
    client.send(...ids.map((id) => frame({ payload: JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }) })))
    for (const id of ids) expect(await client.message()).toEqual({ ...pong, id })
  })

  test('characters whose bytes are in several fragments', async () => {
    using client = await openRawWebSocket(shop)
    const bytes = Buffer.from('{"jsonrpc":"2.0","id":"é€😀","method":"ping"}')
    client.send(...fragments(Array.from(bytes, (byte) => Buffer.of(byte))))
    expect(await client.message()).toEqual({ ...pong, id: 'é€😀' })
  })

  test('a Ping, which is answered', async () => {
    using client = await openRawWebSocket(shop)
    client.send(frame({ opcode: opcodes.ping, payload: 'x'.repeat(125) }))
    expect(await client.pong()).toBe('x'.repeat(125))
  })

  test('many Pings at once, and the last one is answered', async () => {
    using client = await openRawWebSocket(shop)
    const pings = Array.from({ length: 1000 }, (_, n) => frame({ opcode: opcodes.ping, payload: `${n}` }))
    client.send(...pings)
    let last = ''
    while (last !== '999') last = await client.pong()
  })

  test.each([1000, 1001, 3000, 4999])('a Close with %i, which is answered with the same', async (code) => {
    using client = await openRawWebSocket(shop)
    client.send(closeFrame(code, 'bye'), frame({ payload: ping }))
    expect(await client.closed()).toBe(code)
    expect(await client.raw.readToEnd()).toBe('')
  })

  test('a Close without a code', async () => {
    using client = await openRawWebSocket(shop)
    client.send(frame({ opcode: opcodes.close }))
    expect(await client.closed()).toBe(1005)
  })
})

describe('what RFC 6455 forbids ends the connection', () => {
  const tooLong = 'x'.repeat((64 << 10) + 1)
  const cases: readonly (readonly [string, number, readonly Uint8Array[]])[] = [
    ['a frame without a mask', 1002, [frame({ payload: ping, masked: false })]],
    ...[1, 2, 4, 7].map((reserved) => [`reserved bits ${reserved}`, 1002, [frame({ reserved })]] as const),
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map(
      (opcode) => [`the reserved opcode ${opcode}`, 1002, [frame({ opcode })]] as const,
    ),
    ['a continuation without a message', 1002, [frame({ opcode: opcodes.continuation, payload: ping })]],
    ['a message within another', 1002, [frame({ fin: false, payload: ping }), frame({ payload: ping })]],
    ['a Ping in fragments', 1002, [frame({ opcode: opcodes.ping, fin: false })]],
    ['a Ping of 126 bytes', 1002, [frame({ opcode: opcodes.ping, payload: 'x'.repeat(126) })]],
    ['a Close of 126 bytes', 1002, [closeFrame(1000, 'x'.repeat(124))]],
    ['a Close of one byte', 1002, [frame({ opcode: opcodes.close, payload: 'x' })]],
    ...[0, 999, 1004, 1005, 1006, 1015, 2999, 5000].map(
      (code) => [`a Close with ${code}`, 1002, [closeFrame(code)]] as const,
    ),
    ['a Close whose reason is not UTF-8', 1007, [closeFrame(1000, Buffer.of(0xff))]],
    ...[[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf4, 0x90, 0x80, 0x80]].map(
      (bytes) => [`a text of the bytes ${bytes}`, 1007, [frame({ payload: Buffer.from(bytes) })]] as const,
    ),
    ['a text in fragments that is not UTF-8', 1007, fragments([Buffer.of(0xe2), Buffer.of(0x82)])],
    ['a binary message', 1003, [frame({ opcode: opcodes.binary, payload: ping })]],
    ['a message above 64 KiB', 1009, [frame({ payload: tooLong })]],
    ['fragments above 64 KiB together', 1009, fragments([tooLong.slice(2), 'xx', 'x'])],
    ['a frame of 2^40 bytes', 1009, [frame({ length: 1n << 40n })]],
    ['a frame of 2^63 bytes', 1009, [frame({ length: 1n << 63n })]],
    ['a message in 17,000 fragments', 1008, fragments(Array.from({ length: 17_000 }, () => 'x'))],
  ]
  test.each(cases)('%s: %i', async (_what, code, frames) => {
    using client = await openRawWebSocket(shop)
    client.send(...frames)
    expect(await client.closed()).toBe(code)
  })
})

describe('a half-open connection', () => {
  test('ends with 4411 when its pings are not answered', async () => {
    await using quick = await serveShop({ limits: { pingMs: 100 } })
    using client = await openRawWebSocket(quick)
    expect(await client.closed()).toBe(4411)
    expect(await quick.logs('stream ended')).toMatchObject({ reason: 'no_pong' })
  })

  test('ends with 4411 in the middle of a message', async () => {
    await using quick = await serveShop({ limits: { pingMs: 100 } })
    using client = await openRawWebSocket(quick)
    client.send(frame({ payload: ping }).subarray(0, 10))
    expect(await client.closed()).toBe(4411)
  })
})
