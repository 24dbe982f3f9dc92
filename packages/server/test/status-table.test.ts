import { QueueUnavailableError } from '@headrace/queue'
import type { Gateway } from '@headrace/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateKey } from '../src/access/keys/key-format.ts'
import { type RefusalCode, refusals } from '../src/errors.ts'
import { forge, now } from './attacks/forge-token.ts'
import { openRawSocket } from './attacks/raw-socket.ts'
import { connect } from './clients/json-rpc-client.ts'
import type { PageJson } from './clients/shapes.ts'
import { orders, returns, type ServedShop, serveShop } from './shop/served-shop.ts'

let shop: ServedShop
/** A gateway of the same queue, which fails on demand. */
let failing: Gateway
let failure: Error | undefined
/** A cursor before the earliest record of a topic. */
let lost: string

beforeAll(async () => {
  shop = await serveShop({ limits: { headersMs: 1000 } })
  for (let n = 0; n < 4; n++) await shop.publish(returns, 50)
  await shop.publish(orders, 3)
  lost = (await shop.json<PageJson>(`/api/v1/data/${returns}?order=asc&limit=5`)).nextCursor
  await shop.queue.deleteBefore(returns, 0, 150n)
  const describe: typeof shop.queue.describe = async (topics) => {
    if (failure) throw failure
    return shop.queue.describe(topics)
  }
  failing = await shop.startAnother({ queue: { ...shop.queue, describe } })
})
afterAll(async () => {
  await failing.close()
  await shop[Symbol.asyncDispose]()
})

const unusedKey = generateKey('development')
const data = (topic = orders) => `/api/v1/data/${topic}`
const sse = (topic = orders) => `/sse/v1?topics=${topic}`
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** Sends these lines with the remaining headers. */
async function sendRaw(target: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<string> {
  using raw = await openRawSocket(shop.url)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  raw.socket.write(`${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('')}\r\n`)
  return await raw.readToEnd()
}

/** The same as a WebSocket upgrade. */
function upgrade(target: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const opening = {
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  return sendRaw(target, { ...headers, ...opening, connection: 'Upgrade' })
}

/** A connection with an open request when the gateway starts to drain. */
async function whileDraining(head: string): Promise<string> {
  const gateway = await shop.startAnother()
  using raw = await openRawSocket(gateway.url)
  raw.socket.write(head)
  // When this is answered, the gateway has received all earlier requests.
  await fetch(`${gateway.url}/health/live`)
  const closing = gateway.close()
  raw.socket.write('\r\n')
  const answer = await raw.readToEnd()
  await closing
  return answer
}

async function fromFailing(path: string, error: Error): Promise<string> {
  failure = error
  try {
    return await sendPlain(path, mine(), failing.url)
  } finally {
    failure = undefined
  }
}

async function sendPlain(path: string, headers: Record<string, string>, url: string = shop.url): Promise<string> {
  const response = await fetch(url + path, { headers })
  return rawAnswer(response)
}

async function rawAnswer(response: Response): Promise<string> {
  return `HTTP/1.1 ${response.status}\r\n\r\n${await response.text()}`
}

const narrowKey = async () => bearer((await shop.addKey({ topics: ['other.*'] })).key)
const originKey = async () => ({
  ...bearer((await shop.addKey({ origins: ['https://example.org'] })).key),
  origin: 'https://example.com',
})
async function spentKey() {
  const { key } = await shop.addKey({ rate: 1, burst: 1 })
  return bearer(key)
}
async function usedUpKey() {
  const { key } = await shop.addKey({ quota: { requests: 1 } })
  return bearer(key)
}
/** Uses the only connection of the key during a request. */
async function fullKey(ask: (headers: Record<string, string>) => Promise<string>): Promise<string> {
  const { key } = await shop.addKey({ connections: 1 })
  using _client = await connect(`${shop.url}/ws/v1`, bearer(key))
  return await ask(bearer(key))
}

type Ask = () => Promise<string>
const plain = (target: string, headers: () => Promise<Record<string, string>> | Record<string, string>): Ask => {
  return async () => sendRaw(target, await headers())
}
const mine = () => bearer(shop.key)
const expiredToken = () => bearer(forge(shop.key, { claims: { iat: now() - 100, exp: now() - 10 } }))

/** Requests for each refusal: over REST, and over streams if their admission differs. */
const provocations: Readonly<Record<RefusalCode, readonly Ask[]>> = {
  path_not_found: [plain('/nothing', mine), plain('/api/v1', mine), () => upgrade('/ws/v2', mine())],
  method_not_allowed: [
    () => sendRaw('/schema-registry/subjects/x/versions', mine(), 'POST'),
    () => sendRaw(data(), mine(), 'POST'),
    () => sendRaw(sse(), mine(), 'DELETE'),
    () => sendRaw('/ws/v1', mine(), 'PUT'),
  ],
  uri_too_long: [
    plain(`${data()}?cursor=${'A'.repeat(9000)}`, mine),
    plain(data('a'.repeat(9000)), mine),
    () => upgrade(`/ws/v1?x=${'A'.repeat(9000)}`, mine()),
  ],
  headers_too_large: [plain(data(), () => ({ 'x-big': 'x'.repeat(20_000) }))],
  request_timeout: [
    async () => {
      using raw = await openRawSocket(shop.url)
      raw.socket.write(`GET ${data()} HTTP/1.1\r\nHost: x\r\n`)
      return await raw.readToEnd()
    },
  ],
  malformed_request: [plain('/api/v1/data/%zz', mine), plain('/api/v1/data/ x y', mine)],
  expectation_failed: [
    plain(data(), () => ({ ...mine(), expect: 'magic' })),
    () => upgrade('/ws/v1', { ...mine(), expect: 'magic' }),
  ],
  draining: [
    () => whileDraining(`GET ${data()} HTTP/1.1\r\nHost: x\r\n`),
    () => whileDraining('GET /health/ready HTTP/1.1\r\nHost: x\r\n'),
    () => whileDraining('GET /ws/v1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'),
  ],
  multiple_credentials: [
    plain(`${data()}?api_key=x`, mine),
    plain(`${data()}?api_key=x&api_key=y`, () => ({})),
    () => upgrade('/ws/v1?api_key=', mine()),
    plain(`${sse()}&api_key=x`, mine),
  ],
  malformed_authorization: [
    plain(data(), () => ({ authorization: 'Basic eDp5' })),
    plain(sse(), () => ({ authorization: 'Bearer' })),
    () => upgrade('/ws/v1', { authorization: 'Token x' }),
  ],
  wrong_environment: [
    plain(data(), () => bearer(generateKey('production'))),
    plain(sse(), () => bearer(generateKey('production'))),
    () => upgrade(`/ws/v1?api_key=${generateKey('production')}`),
  ],
  invalid_key: [
    plain(data(), () => bearer(unusedKey)),
    plain(sse(), () => bearer('x')),
    () => upgrade('/ws/v1', bearer(unusedKey)),
  ],
  invalid_token: [
    plain(data(), () => bearer('a.b.c')),
    plain(sse(), () => bearer('a.b.c')),
    () => upgrade('/ws/v1?api_key=a.b.c'),
  ],
  token_expired: [plain(data(), expiredToken), plain(sse(), expiredToken), () => upgrade('/ws/v1', expiredToken())],
  body_too_large: [
    async () => {
      const init = { method: 'POST', headers: mine(), body: ' '.repeat(20_000) }
      return rawAnswer(await fetch(`${shop.url}/api/v1/tokens`, init))
    },
  ],
  missing_key: [
    () => sendRaw('/api/v1/tokens', {}, 'POST'),
    plain('/schema-registry/', () => ({})),
    plain(sse(), () => ({})),
    () => upgrade('/ws/v1'),
    plain('/ws/v1', () => ({})),
  ],
  origin_not_allowed: [
    plain(data(), originKey),
    plain(sse(), originKey),
    async () => upgrade('/ws/v1', await originKey()),
  ],
  rate_limited: [
    plain(data(), () => ({})),
    plain(data(), spentKey),
    plain(sse(), spentKey),
    async () => upgrade('/ws/v1', await spentKey()),
  ],
  quota_exceeded: [plain(data(), usedUpKey), plain(sse(), usedUpKey), async () => upgrade('/ws/v1', await usedUpKey())],
  connection_limit: [
    () => fullKey((headers) => sendRaw(sse(), headers)),
    () => fullKey((headers) => upgrade('/ws/v1', headers)),
    () => fullKey((headers) => sendRaw('/ws/v1', headers)),
  ],
  topic_forbidden: [plain(data(), narrowKey), plain(sse(), narrowKey), plain(data('_headrace.keys'), mine)],
  invalid_parameter: [plain(`${data()}?limit=0`, mine), plain(`${sse()}&x=1`, mine), plain('/sse/v1', mine)],
  invalid_cursor: [plain(`${data()}?cursor=AQAA`, mine), plain(`${sse()}&from=AQAA`, mine)],
  invalid_filter: [plain(`${data()}?filter=value.nothing`, mine), plain(`${sse()}&filter=1`, mine)],
  too_many_subscriptions: [plain(sse(Array.from({ length: 21 }, (_, n) => `a.b${n}`).join(',')), mine)],
  topic_not_found: [plain(data('no.such_topic'), mine), plain(sse('no.such_topic'), mine)],
  schema_not_found: [
    plain('/schema-registry/schemas/ids/1', mine),
    plain('/schema-registry/subjects/x/versions', mine),
  ],
  invalid_schema_request: [plain('/schema-registry/subjects/x/versions/0', mine)],
  position_unavailable: [
    () => sendRaw(`${data(returns)}?order=asc&cursor=${lost}`, mine()),
    () => sendRaw(`${sse(returns)}&from=${lost}`, mine()),
  ],
  upgrade_required: [() => sendPlain('/ws/v1', mine())],
  internal: [() => fromFailing(data(), new TypeError('a bug')), () => fromFailing(sse(), new TypeError('a bug'))],
  overloaded: [
    () => fromFailing(data(), new QueueUnavailableError('away')),
    () => fromFailing('/health/ready', new QueueUnavailableError('away')),
  ],
}

const cases = Object.entries(provocations).flatMap(([code, asks]) =>
  asks.map((ask, index) => [code as RefusalCode, index + 1, ask] as const),
)

test.each(cases)('%s (%i) is answered over a socket with its status', async (code, _, ask) => {
  const [head = '', body = ''] = (await ask()).split(/\r\n\r\n/s, 2)
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${refusals[code].status}\\b`))
  const problem = JSON.parse(/\{.*\}/s.exec(body)![0])
  expect(problem).toMatchObject({ code, status: refusals[code].status, detail: expect.any(String) })
})
