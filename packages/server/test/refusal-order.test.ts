import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateKey } from '../src/access/keys/key-format.ts'
import { type RefusalCode, refusals } from '../src/errors.ts'
import { connect, type JsonRpcClient } from './clients/json-rpc-client.ts'
import type { PageJson } from './clients/shapes.ts'
import { returns, type ServedShop, serveShop } from './shop/served-shop.ts'

let shop: ServedShop
/** A cursor that lies before all that is left of a topic. */
let lost: string
beforeAll(async () => {
  shop = await serveShop()
  for (let n = 0; n < 4; n++) await shop.publish(returns, 50)
  lost = (await shop.json<PageJson>(`/api/v1/data/${returns}?order=asc&limit=5`)).nextCursor
  await shop.queue.deleteBefore(returns, 0, 150n)
})
afterAll(() => shop[Symbol.asyncDispose]())

/** A request with everything wrong, which is mended one after the other. */
interface Attempt {
  method: string
  path: string
  topic: string
  readonly query: Record<string, string | undefined>
  readonly headers: Record<string, string | undefined>
  readonly keyId: string
  connection?: JsonRpcClient
}

/** What is mended, and what is told then. */
type Step = readonly [told: RefusalCode | 'nothing', mend: (attempt: Attempt) => Promise<void> | void]

const given = <Value extends object>(values: Value) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<string, string>

/** The code that an attempt is refused with. */
async function outcomeOf({ method, path, topic, query, headers }: Attempt): Promise<string> {
  const target = path.replace('TOPIC', topic)
  const parameters = new URLSearchParams(given({ ...query, ...(path === '/sse/v1' && { topics: topic }) }))
  const response = await fetch(`${shop.url}${target}?${parameters}`, { method, headers: given(headers) })
  if (response.status !== 200) return ((await response.json()) as { code: string }).code
  await response.body!.cancel()
  return 'nothing'
}

/** Changes the key, and waits until the gateway has it. */
const changed =
  (change: Parameters<ServedShop['changeKey']>[1], before: RefusalCode) =>
  async (attempt: Attempt): Promise<void> => {
    await shop.changeKey(attempt.keyId, change)
    await expect.poll(() => outcomeOf(attempt)).not.toBe(before)
  }

function stepsOf(key: string, protocol: 'rest' | 'sse'): readonly Step[] {
  const isStream = protocol === 'sse'
  const position = isStream ? 'from' : 'cursor'
  const missingKey: Step = ['missing_key', ({ headers }) => void Object.assign(headers, { authorization: undefined })]
  const connectionLimit: Step = [
    'connection_limit',
    async (attempt) => {
      await changed({ rate: 1000, burst: 1000 }, 'rate_limited')(attempt)
      attempt.connection = await connect(`${shop.url}/ws/v1`, given(attempt.headers))
    },
  ]
  return [
    ['path_not_found', () => undefined],
    [
      'method_not_allowed',
      (attempt) => void Object.assign(attempt, { path: isStream ? '/sse/v1' : '/api/v1/data/TOPIC' }),
    ],
    ['multiple_credentials', (attempt) => void Object.assign(attempt, { method: 'GET' })],
    ['malformed_authorization', ({ query }) => void Object.assign(query, { api_key: undefined })],
    ['wrong_environment', ({ headers }) => void Object.assign(headers, bearer(generateKey('production')))],
    ['invalid_key', ({ headers }) => void Object.assign(headers, bearer(generateKey('development')))],
    ...(isStream ? [missingKey] : []),
    ['origin_not_allowed', ({ headers }) => void Object.assign(headers, bearer(key))],
    ['rate_limited', ({ headers }) => void Object.assign(headers, { origin: 'https://example.org' })],
    ...(isStream ? [connectionLimit] : []),
    [
      'topic_forbidden',
      changed({ rate: 1000, burst: 1000, connections: 5 }, isStream ? 'connection_limit' : 'rate_limited'),
    ],
    ['invalid_parameter', changed({ rate: 1000, burst: 1000, connections: 5, topics: ['*'] }, 'topic_forbidden')],
    ['invalid_cursor', ({ query }) => void Object.assign(query, { speed: undefined, [position]: 'AQAA' })],
    ['topic_not_found', ({ query }) => void Object.assign(query, { [position]: lost })],
    ['position_unavailable', (attempt) => void Object.assign(attempt, { topic: returns })],
    ['nothing', ({ query }) => void Object.assign(query, { [position]: undefined })],
  ]
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

test.each(['rest', 'sse'] as const)(
  'of all that is wrong with a request over %s the first in the table is told',
  async (protocol) => {
    const { key, id } = await shop.addKey({ origins: ['https://example.org'] })
    const attempt: Attempt = {
      ...{ method: 'POST', path: '/nothing', topic: 'no.such_topic', keyId: id },
      query: { api_key: 'x', speed: '1', ...(protocol === 'rest' && { order: 'asc' }) },
      headers: { authorization: 'Basic x', origin: 'https://example.com' },
    }
    // A rate that lets nothing through for minutes once its one request is spent.
    await shop.changeKey(id, { topics: ['other.*'], rate: 0.001, burst: 1, connections: 1 })
    await expect
      .poll(async () => (await shop.get('/ws/v1', { ...bearer(key), origin: 'https://example.org' })).status)
      .toBe(429)

    const steps = stepsOf(key, protocol)
    for (const [told, mend] of steps) {
      await mend(attempt)
      expect(await outcomeOf(attempt)).toBe(told)
    }
    attempt.connection?.[Symbol.dispose]()
    const order = Object.keys(refusals)
    const places = steps.map(([told]) => order.indexOf(told)).filter((place) => place >= 0)
    expect(places).toEqual([...places].sort((a, b) => a - b))
  },
)
