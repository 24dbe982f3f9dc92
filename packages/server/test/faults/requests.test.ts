import { encodeCursor } from '@headrace/catalog'
import { expect, test } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import type { Random } from '../../../testbed/random.ts'
import { generateKey } from '../../src/access/keys/key-format.ts'
import { refusals } from '../../src/errors.ts'
import { openRawSocket } from '../attacks/raw-socket.ts'
import { watchShop } from '../attacks/watch-shop.ts'
import type { PageJson } from '../clients/shapes.ts'
import { orders, returns, serveShop } from '../shop/served-shop.ts'

/** The parts of random requests. */
interface Parts {
  readonly random: Random
  /** A key for orders only. */
  readonly key: string
  /** A key for `*`. */
  readonly anyTopic: string
  readonly keys: readonly string[]
  readonly cursors: readonly string[]
}

/** Each kind of request must be sent at least once. */
const kinds = {
  'a path': ({ random, key }: Parts) => get(`/${joined(random, pathPieces, '/')}`, bearer(key)),
  'a topic': ({ random, anyTopic }: Parts) => get(`/api/v1/data/${random.pick(topicPieces)}`, bearer(anyTopic)),
  'a described topic': ({ random, anyTopic }: Parts) =>
    get(`/api/v1/topics/${random.pick(topicPieces)}`, bearer(anyTopic)),
  'parameters of data': ({ random, key, cursors }: Parts) =>
    get(`/api/v1/data/${orders}?${parameters(random, cursors)}`, bearer(key)),
  'parameters of events': ({ random, key, cursors }: Parts) =>
    get(`/sse/v1?topics=${joined(random, topicPieces, ',')}&${parameters(random, cursors)}`, bearer(key)),
  'parameters of usage': ({ random, key, cursors }: Parts) =>
    get(`/api/v1/usage?${parameters(random, cursors)}`, bearer(key)),
  'an upgrade': ({ random, key }: Parts) =>
    get(`${random.pick(['/ws/v1', '/ws/v1/', '/ws/v1?x', '/sse/v1', '/'])}`, [...bearer(key), ...upgrade(random)]),
  'an Authorization': ({ random, keys }: Parts) => get(`/api/v1/data/${orders}`, authorization(random, keys)),
  'an Origin': ({ random, key }: Parts) =>
    get(`/api/v1/data/${orders}`, [...bearer(key), ...origins(random)], random.pick(['GET', 'OPTIONS', 'HEAD'])),
  bytes: ({ random }: Parts) => Buffer.from(random.hex(1 + random.integer(300)).slice(2), 'hex'),
  'bytes in a path': ({ random, key }: Parts) =>
    get(Buffer.from(`/${random.hex(random.integer(60)).slice(2)}`, 'hex').toString('latin1'), bearer(key)),
} as const satisfies Record<string, (parts: Parts) => Buffer>

const pathPieces = [
  'api',
  'v1',
  'data',
  'topics',
  'health',
  'live',
  orders,
  '',
  '.',
  '..',
  '%2e%2e',
  '%2F',
  '%5C',
  '%00',
  '*',
]
const topicPieces = [
  ...[orders, returns, '_headrace.keys', '_headrace.usage', '%5Fheadrace.keys', '_HEADRACE.keys', `${orders}%00`],
  ...[
    `${orders}/`,
    `${orders}%2F..%2F_headrace.keys`,
    `..%2F_headrace.keys`,
    `${orders}%20`,
    '%2E%2E',
    '%',
    '%zz',
    '%u0041',
  ],
  ...[
    'a'.repeat(249),
    'a'.repeat(250),
    'a'.repeat(5000),
    '%F0%9F%98%80',
    '%C0%AF',
    '__proto__',
    'constructor',
    '*',
    '',
  ],
]
const names = [
  'limit',
  'order',
  'from',
  'to',
  'cursor',
  'view',
  'format',
  'last_event_id',
  'api_key',
  '__proto__',
  'x',
  '',
]
const values = [
  '1',
  '0',
  '-1',
  '1e3',
  '99999999999',
  'asc',
  'desc',
  'log',
  'ndjson',
  'latest',
  'final',
  'last:3',
  'last:0',
]
const oddValues = [
  '-1m',
  '2026-08-21T10:00:00Z',
  '0001-01-01T00:00:00Z',
  '%00',
  '%',
  '[]',
  '{}',
  'null',
  'NaN',
  'A',
  'AQ',
]

function joined(random: Random, pieces: readonly string[], separator: string): string {
  return Array.from({ length: 1 + random.integer(5) }, () => random.pick(pieces)).join(separator)
}

function parameters(random: Random, cursors: readonly string[]): string {
  const value = () => {
    const cursor = random.pick(cursors)
    const [at, to] = [random.integer(cursor.length), random.pick([...'AZaz09-_'])]
    const damaged = cursor.slice(0, at) + to + cursor.slice(at + 1)
    return random.pick([...values, ...oddValues, cursor, cursor, damaged, cursor.slice(0, at)])
  }
  return Array.from({ length: random.integer(5) }, () => `${random.pick(names)}=${value()}`).join('&')
}

type Header = readonly [name: string, value: string]
const bearer = (key: string): readonly Header[] => [['Authorization', `Bearer ${key}`]]

function authorization(random: Random, keys: readonly string[]): readonly Header[] {
  const key = random.pick(keys)
  const forms = [
    `Bearer ${key}`,
    `bearer  ${key} `,
    `Bearer ${key},`,
    `Bearer "${key}"`,
    `Bearer`,
    `Bearer ${key} ${key}`,
  ]
  const odd = [
    `Basic ${btoa(key)}`,
    key,
    `Bearer=${key}`,
    `Bearer\t${key}`,
    `Digest x="${key}"`,
    '',
    `Bearer ${key}\u00ff`,
  ]
  return Array.from(
    { length: 1 + random.integer(2) },
    () => ['Authorization', random.pick([...forms, ...odd])] as const,
  )
}

function origins(random: Random): readonly Header[] {
  const odd = ['null', '', '*', 'https://example.org/', 'HTTPS://EXAMPLE.ORG', 'https://a.example.org', '\u00ff', '//x']
  const list = Array.from({ length: 1 + random.integer(3) }, () => {
    return ['Origin', random.pick(['https://example.org', 'http://example.org', ...odd])] as const
  })
  return [...list, ['Access-Control-Request-Method', random.pick(['GET', 'PUT', ''])]]
}

function upgrade(random: Random): readonly Header[] {
  return [
    ['Connection', random.pick(['Upgrade', 'close, Upgrade', 'close'])],
    ['Upgrade', random.pick(['websocket', 'h2c', 'WebSocket', 'TLS/1.0'])],
    ['Sec-WebSocket-Version', random.pick(['13', '8', '', '14'])],
    ['Sec-WebSocket-Key', random.pick(['dGhlIHNhbXBsZSBub25jZQ==', 'x', ''])],
  ]
}

function get(target: string, headers: readonly Header[], method = 'GET'): Buffer {
  const lines = [['Host', 'x'], ['Connection', 'close'], ...headers].map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
}

/** Whether a response is complete, for responses that keep their connection open. */
function isWhole(answer: string): boolean {
  const [head, body] = answer.split(/\r\n\r\n(.*)/s, 2)
  if (body === undefined) return false
  if (/^HTTP\/1\.1 101 /.test(head!) || /content-type: text\/event-stream/i.test(head!)) return true
  const length = /content-length: (\d+)/i.exec(head!)?.[1]
  return length !== undefined && body.length >= Number(length)
}

const statuses = new Set([101, 200, 204, 426, ...Object.values(refusals).map(({ status }) => status)])

test('random requests get exactly the records that their keys cover', async () => {
  const plan = planFaults('random requests', { once: 300, scaled: 20_000, full: 100_000 }, Object.keys(kinds))
  await using shop = await serveShop({ limits: { headersMs: 300, requestMs: 600, heartbeatMs: 100 } })
  await shop.publish(orders, 20)
  const watch = await watchShop(shop)
  const limits = { rate: 1_000_000, burst: 1_000_000, connections: 100_000 }
  const { key } = await shop.addKey({ topics: [orders], ...limits })
  const { key: anyTopic } = await shop.addKey({ topics: ['*'], ...limits })
  const { headCursor } = await shop.json<PageJson>(`/api/v1/data/${returns}`)
  const ownCursor = (await shop.json<PageJson>(`/api/v1/data/${orders}`)).nextCursor
  const foreign = encodeCursor({ topics: [{ id: 'x', topic: '_headrace.keys', partitions: [{ offset: 0n, seq: 0 }] }] })
  const parts: Parts = {
    random: plan.random,
    key,
    anyTopic,
    keys: [key, anyTopic, generateKey('development'), generateKey('production'), `${key}0`, key.toUpperCase(), 'x'],
    cursors: [headCursor, ownCursor, foreign, encodeCursor({ topics: [] })],
  }
  const names = Object.keys(kinds) as (keyof typeof kinds)[]
  const send = async (index: number) => {
    const kind = names[index % names.length]!
    const request = kinds[kind](parts)
    using raw = await openRawSocket(shop.url)
    raw.socket.write(request)
    // Invalid bytes may be the beginning of a request, for which the gateway waits until its timeout.
    const answer = await raw.until('answer', () => {
      const text = raw.received.toString('latin1')
      return raw.socket.closed || isWhole(text) ? text : undefined
    })
    plan.hit(kind)
    check(answer, request.toString('latin1'))
  }
  for (let n = 0; n < plan.count; n += 20) await Promise.all(Array.from({ length: 20 }, (_, index) => send(n + index)))

  function check(answer: string, request: string): void {
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1])
    const allowed = status !== 500 && statuses.has(status)
    expect({ request, status, allowed }).toMatchObject({ allowed: true })
    const body = status === 200 ? answer : ''
    expect(/"hash"|"topic":"_headrace/i.test(body), request).toBe(false)
    if (request.includes(key)) expect(body.includes(`"topic":"${returns}"`), request).toBe(false)
    for (const secret of parts.keys.slice(0, 4)) expect(answer.includes(secret.slice(8, 44)), request).toBe(false)
  }

  await watch.finish()
  const page = await shop.json<PageJson>(`/api/v1/data/${orders}`)
  expect(page.data).toHaveLength(20)
  const log = shop.logged.join('')
  for (const secret of parts.keys.slice(0, 4)) expect(log).not.toContain(secret.slice(8, 44))
  expect(log).not.toMatch(/"level":(50|60)/)
  plan.expectAllHit()
})
