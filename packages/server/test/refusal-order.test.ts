import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateKey } from '../src/access/keys/key-format.ts'
import { type RefusalCode, refusals } from '../src/errors.ts'
import { forge, now } from './attacks/forge-token.ts'
import { openRawSocket } from './attacks/raw-socket.ts'
import { connect, type JsonRpcClient } from './clients/json-rpc-client.ts'
import type { PageJson } from './clients/shapes.ts'
import { returns, type ServedShop, serveShop } from './shop/served-shop.ts'

let shop: ServedShop
/** A cursor before the earliest record of a topic. */
let lost: string
beforeAll(async () => {
  shop = await serveShop()
  for (let n = 0; n < 4; n++) await shop.publish(returns, 50)
  lost = (await shop.json<PageJson>(`/api/v1/data/${returns}?order=asc&limit=5`)).nextCursor
  await shop.queue.deleteBefore(returns, 0, 150n)
})
afterAll(() => shop[Symbol.asyncDispose]())

/** A request with every mistake, which are corrected one after the other. */
interface Attempt {
  method: string
  path: string
  topic: string
  /** Whether the gateway is draining. */
  draining: boolean
  readonly query: Record<string, string | undefined>
  readonly headers: Record<string, string | undefined>
  readonly keyId: string
  connection?: JsonRpcClient
}

/** A correction, and the code that is answered before it. */
type Step = readonly [expected: RefusalCode | 'nothing', correct: (attempt: Attempt) => Promise<void> | void]

const given = <Value extends object>(values: Value) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<string, string>

/** The code of the refusal. */
async function outcomeOf(attempt: Attempt): Promise<string> {
  const gateway = attempt.draining ? await shop.startAnother() : shop.gateway
  using raw = await openRawSocket(gateway.url)
  raw.socket.write(headOf(attempt))
  // When this is answered, the gateway has received all earlier requests.
  if (attempt.draining) await fetch(`${gateway.url}/health/live`)
  const closing = attempt.draining ? gateway.close() : undefined
  raw.socket.write('\r\n')
  const outcome = await raw.until('outcome', () => {
    const text = raw.received.toString('latin1')
    return /^HTTP\/1.1 (200|101) /.test(text) ? 'nothing' : /"code":"(\w+)"/.exec(text)?.[1]
  })
  await closing
  return outcome
}

/** The head of a request without its final empty line. */
function headOf({ method, path, topic, query, headers }: Attempt): string {
  const parameters = new URLSearchParams(given({ ...query, ...(path === '/sse/v1' && { topics: topic }) }))
  const lines = Object.entries(given({ host: 'x', ...headers })).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path.replace('TOPIC', topic)}?${parameters} HTTP/1.1\r\n${lines.join('')}`
}

/** Changes the key, and waits until the gateway has read it. */
const changed =
  (change: Parameters<ServedShop['changeKey']>[1], before: RefusalCode) =>
  async (attempt: Attempt): Promise<void> => {
    await shop.changeKey(attempt.keyId, change)
    await expect.poll(() => outcomeOf(attempt)).not.toBe(before)
  }

const noQuota = { quota: undefined as never }

const paths = { rest: '/api/v1/data/TOPIC', sse: '/sse/v1', websocket: '/ws/v1' } as const

function stepsOf(key: string, protocol: keyof typeof paths): readonly Step[] {
  const isStream = protocol !== 'rest'
  const expired = forge(key, { claims: { iat: now() - 90, exp: now() - 30 } })
  const missingKey: Step = ['missing_key', ({ headers }) => void Object.assign(headers, { authorization: undefined })]
  const connectionLimit: Step = [
    'connection_limit',
    async (attempt) => {
      await changed(noQuota, 'quota_exceeded')(attempt)
      attempt.connection = await connect(`${shop.url}/ws/v1`, given(attempt.headers))
    },
  ]
  const nothing: Step = ['nothing', changed({ rate: 1000, burst: 1000, connections: 5 }, 'connection_limit')]
  return [
    ...(protocol === 'websocket' ? [] : unreadable),
    ['uri_too_long', (attempt) => void Object.assign(attempt, { path: '/nothing' })],
    ['draining', ({ query }) => void Object.assign(query, { long: undefined })],
    ['path_not_found', (attempt) => void Object.assign(attempt, { draining: false })],
    ['method_not_allowed', (attempt) => void Object.assign(attempt, { path: paths[protocol] })],
    ['multiple_credentials', (attempt) => void Object.assign(attempt, { method: 'GET' })],
    ['malformed_authorization', ({ query }) => void Object.assign(query, { api_key: undefined })],
    ['wrong_environment', ({ headers }) => void Object.assign(headers, bearer(generateKey('production')))],
    ['invalid_key', ({ headers }) => void Object.assign(headers, bearer(generateKey('development')))],
    ['invalid_token', ({ headers }) => void Object.assign(headers, bearer('a.b.c'))],
    ['token_expired', ({ headers }) => void Object.assign(headers, bearer(expired))],
    ...(isStream ? [missingKey] : []),
    ['origin_not_allowed', ({ headers }) => void Object.assign(headers, bearer(key))],
    ['rate_limited', ({ headers }) => void Object.assign(headers, { origin: 'https://example.org' })],
    ['quota_exceeded', changed({ rate: 1000, burst: 1000 }, 'rate_limited')],
    ...(isStream ? [connectionLimit] : []),
    ...(protocol === 'websocket' ? [nothing] : ofTheTopic(protocol)),
  ]
}

/** Refusals that do not depend on the path. */
const unreadable: readonly Step[] = [
  ['headers_too_large', ({ headers }) => void Object.assign(headers, { 'x-large': 'x'.repeat(20_000) })],
  ['malformed_request', ({ headers }) => void Object.assign(headers, { 'x-large': undefined })],
]

function ofTheTopic(protocol: 'rest' | 'sse'): readonly Step[] {
  const [position, before] =
    protocol === 'sse' ? (['from', 'connection_limit'] as const) : (['cursor', 'quota_exceeded'] as const)
  return [
    ['topic_forbidden', changed({ ...noQuota, connections: 5 }, before)],
    ['invalid_parameter', changed({ rate: 1000, burst: 1000, connections: 5, topics: ['*'] }, 'topic_forbidden')],
    ['invalid_cursor', ({ query }) => void Object.assign(query, { speed: undefined, [position]: 'AQAA' })],
    ['topic_not_found', ({ query }) => void Object.assign(query, { [position]: lost })],
    ['position_unavailable', (attempt) => void Object.assign(attempt, { topic: returns })],
    ['nothing', ({ query }) => void Object.assign(query, { [position]: undefined })],
  ]
}

/** Further headers of a WebSocket client (RFC 6455, section 4.1). */
const handshake = {
  ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
  'sec-websocket-key': Buffer.alloc(16).toString('base64'),
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

test.each(['rest', 'sse', 'websocket'] as const)(
  'a request over %s with several mistakes is refused with the first code of the table',
  async (protocol) => {
    const { key, id } = await shop.addKey({ origins: ['https://example.org'] })
    const attempt: Attempt = {
      ...{ method: 'POST', path: '/%zz', topic: 'no.such_topic', draining: true, keyId: id },
      query: { long: 'x'.repeat(9000), api_key: 'x', speed: '1', ...(protocol === 'rest' && { order: 'asc' }) },
      headers: {
        ...{ authorization: 'Basic x', origin: 'https://example.com' },
        ...(protocol === 'websocket' && handshake),
      },
    }
    // One request is allowed, and the next one only after minutes.
    await shop.changeKey(id, { topics: ['other.*'], rate: 0.001, burst: 1, connections: 1, quota: { requests: 1 } })
    await expect
      .poll(async () => (await shop.get('/ws/v1', { ...bearer(key), origin: 'https://example.org' })).status)
      .toBe(429)

    const steps = stepsOf(key, protocol)
    for (const [expected, correct] of steps) {
      await correct(attempt)
      expect(await outcomeOf(attempt)).toBe(expected)
    }
    attempt.connection?.[Symbol.dispose]()
    const order = Object.keys(refusals)
    const places = steps.map(([expected]) => order.indexOf(expected)).filter((place) => place >= 0)
    expect(places).toEqual([...places].sort((a, b) => a - b))
  },
)
