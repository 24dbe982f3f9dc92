import { expect, test } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import type { Random } from '../../../testbed/random.ts'
import { closeReasons } from '../../src/websocket/close-codes.ts'
import { closeFrame, frame, opcodes } from '../attacks/frames.ts'
import { openRawWebSocket } from '../attacks/raw-web-socket.ts'
import { watchShop } from '../attacks/watch-shop.ts'
import { connect } from '../clients/json-rpc-client.ts'
import { orders, serveShop } from '../shop/served-shop.ts'

const perConnection = 20
const connectionsAtOnce = 10
const ends = [1000, 1002, 1003, 1007, 1009]
/** A frame for each close code. */
const endings = [close, reserved, binary, badText, tooLarge]
const otherReasons = Object.values(closeReasons).flatMap(({ code }) => (ends.includes(code) ? [] : [code]))
/** Whether the gateway has closed for another reason than the received frames. */
const isFailure = (code: number) => code === 1011 || otherReasons.includes(code) || (code >= 4400 && code < 4500)

test('random frames end at most their own connection', async () => {
  const counts = { once: 4000, scaled: 100_000, full: 100_000 }
  const plan = planFaults('random frames', counts, ['none', ...ends.map(String)])
  await using shop = await serveShop({ limits: { pingMs: 60_000 } })
  await shop.publish(orders, 50)
  const watch = await watchShop(shop)
  let connections = 0
  const attack = async () => {
    while (connections * perConnection < plan.count) {
      const connection = connections++
      using client = await openRawWebSocket(shop)
      // Every other connection waits for the gateway to close it. The others close first.
      const waits = connection % 2 === 0
      const frames = Array.from({ length: perConnection }, () => (waits ? validFrame : randomFrame)(plan.random))
      if (waits) frames[perConnection - 1] = endings[(connection / 2) % endings.length]!(plan.random)
      for (const piece of cutAnywhere(Buffer.concat(frames), plan.random)) client.send(piece)
      if (!waits) client.raw.socket.end()
      const end = await client.closed()
      expect(isFailure(end), `closed with ${end}`).toBe(false)
      // A Close of the client is answered with its own code.
      plan.hit(ends.find((code) => code === end)?.toString() ?? (end === 1006 ? 'none' : 'other'))
      for (let frames = 1; frames < perConnection; frames++) plan.hit('frame')
    }
  }
  await Promise.all(Array.from({ length: connectionsAtOnce }, attack))
  await watch.finish()
  using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  expect((await client.call('ping')).result).toBe('pong')
  expect(shop.logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([])
  plan.expectAllHit()
})

/** Most frames are valid, so that connections stay open for several. */
function randomFrame(random: Random): Buffer {
  if (random.integer(20) > 0) return validFrame(random)
  return random.pick([anyFrame, anyBytes, badText, tooLarge, close, binary])(random)
}

function validFrame(random: Random): Buffer {
  return random.pick([request, ping, fragmented])(random)
}

function request(random: Random): Buffer {
  const { integer, pick } = random
  const topics = pick([[orders], ['no.such.topic'], [], orders, [orders, orders], ['_headrace.keys'], null])
  const from = pick(['earliest', 'latest', 'last:3', '-1m', 'AAAA', 7, undefined])
  const method = pick(['subscribe', 'unsubscribe', 'ping', 'rpc.x', '', 7])
  const call = {
    jsonrpc: pick(['2.0', '2.0', '1.0']),
    id: pick([1, 'a', null, undefined]),
    method,
    params: { topics, from },
  }
  const text = JSON.stringify(pick([call, [call, call], [], [call, 1], call]))
  // Some are truncated or changed.
  return frame({ payload: integer(6) === 0 ? text.slice(0, integer(text.length)) : text })
}

function ping({ integer }: Random): Buffer {
  return frame({ opcode: integer(2) === 0 ? opcodes.ping : opcodes.pong, payload: Buffer.alloc(integer(126), 'p') })
}

function fragmented({ integer }: Random): Buffer {
  const text = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  const at = integer(text.length)
  return Buffer.concat([
    frame({ fin: false, payload: text.slice(0, at) }),
    ...(integer(2) === 0 ? [frame({ opcode: opcodes.ping, payload: 'between' })] : []),
    frame({ opcode: opcodes.continuation, payload: text.slice(at) }),
  ])
}

function anyFrame({ integer }: Random): Buffer {
  return frame({
    fin: integer(2) === 0,
    reserved: integer(4) === 0 ? integer(8) : 0,
    opcode: integer(16),
    masked: integer(8) > 0,
    payload: Buffer.alloc(integer(200), integer(256)),
  })
}

function reserved({ integer }: Random): Buffer {
  return frame({ reserved: 1 + integer(7), payload: 'reserved' })
}

function anyBytes(random: Random): Buffer {
  return Buffer.from(random.hex(1 + random.integer(200)).slice(2), 'hex')
}

function badText({ integer }: Random): Buffer {
  return frame({ payload: Buffer.from([0x22, 0x80 + integer(128), 0x22]) })
}

function tooLarge({ integer, pick }: Random): Buffer {
  return frame({
    length: pick([(64n << 10n) + 1n, 1n << 20n, 1n << 40n, 1n << 62n, 1n << 63n]),
    payload: 'x'.repeat(integer(9)),
  })
}

/** A code that the gateway does not use, to see which side has closed. */
function close({ integer }: Random): Buffer {
  const code = integer(65_536)
  return closeFrame(integer(2) === 0 || isFailure(code) ? 1000 : code)
}

function binary({ integer }: Random): Buffer {
  return frame({ opcode: opcodes.binary, payload: Buffer.alloc(integer(50)) })
}

/** Splits bytes into chunks. */
function cutAnywhere(bytes: Buffer, { integer }: Random): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + 1 + integer(2000))
    pieces.push(bytes.subarray(at, end))
    at = end
  }
  return pieces
}
