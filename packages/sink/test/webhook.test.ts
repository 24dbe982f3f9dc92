import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@headrace/client'
import { type RunSinkOptions, runSink, type SinkRecord } from '@headrace/sink'
import { type WebhookSinkOptions, webhookSink } from '@headrace/sink/webhook'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { applied, type Chain, canonicalNames, openChain } from '../../server/test/shop/chain.ts'
import { type ServedShop, serveShop } from '../../server/test/shop/served-shop.ts'
import { type Reaction, startReceiver } from './webhook/receiver.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`
const topic = 'acme.shop.1_0_0.hooks_Order'

let shop: ServedShop
let chain: Chain
let state: string
beforeAll(async () => {
  shop = await serveShop()
  chain = await openChain(shop.queue, { topic, partitions: 3 })
  await shop.waitForTopic(topic)
  await chain.publish({ partitions: [0, 1, 2, 0, 1] }, { partitions: [2, 2, 2] })
  await chain.publish({ partitions: [0, 2], revertUnits: 1 }, { partitions: [1, 1, 0] })
})
afterAll(() => shop[Symbol.asyncDispose]())
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'headrace-webhook-'))
  // Pauses last 0 ms.
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(state, { recursive: true })
})

function run(options: Partial<WebhookSinkOptions>, others: Partial<RunSinkOptions> = {}) {
  const sink = webhookSink({ url: 'http://127.0.0.1', secret, state, ...options })
  const client = createClient({ url: shop.url, apiKey: shop.key })
  const signal = AbortSignal.timeout(30_000)
  return runSink({ sink, client, topics: [topic], until: 'head', signal, log: pino({ level: 'silent' }), ...others })
}

const withoutRepeats = (records: readonly SinkRecord[]) => applied(records as never)
const canonical = () => new Set(canonicalNames(chain, chain.head()))

test('what is not accepted is sent again with the same id, and the next record of its partition waits', async () => {
  const planned: Reaction[] = [500, 'late', 'refused', 'cut', 'no answer', 404, 302, 408, 429]
  const reactions = [...planned]
  await using receiver = await startReceiver({ secret, react: () => reactions.shift() ?? 200, lateMs: 400 })
  await run({ url: receiver.url, timeoutMs: 300 })
  expect(receiver.mistakes).toEqual([])
  expect(reactions).toEqual([])
  const first = receiver.firstArrivals()
  expect(receiver.arrivals.length).toBe(first.length + planned.length)
  expect(withoutRepeats(first)).toEqual(canonical())
  for (const arrivals of Map.groupBy(receiver.arrivals, ({ records }) => records[0]!.partition).values())
    for (const [n, { id, reaction }] of arrivals.entries()) if (reaction !== 200) expect(arrivals[n + 1]!.id).toBe(id)
})

test('a revert follows its record, and a run that starts again sends only what is new', async () => {
  await using receiver = await startReceiver({ secret })
  await run({ url: receiver.url })
  const before = receiver.arrivals.length
  expect(await run({ url: receiver.url })).toMatchObject({ records: 0, reason: 'reached_head' })
  await chain.publish({ partitions: [0, 2, 0], revertUnits: 2 })
  await run({ url: receiver.url })
  expect(receiver.mistakes).toEqual([])
  const later = receiver.arrivals.slice(before).flatMap(({ records }) => records)
  expect(new Set(later.map(({ op }) => op))).toEqual(new Set(['append', 'revert']))
  expect(withoutRepeats(receiver.firstArrivals())).toEqual(canonical())
  expect(receiver.arrivals.length).toBe(receiver.firstArrivals().length)
})

test('a request holds several records of a partition if the sink may batch them', async () => {
  await using receiver = await startReceiver({ secret })
  await run({ url: receiver.url, batch: 2 })
  expect(receiver.mistakes).toEqual([])
  expect(withoutRepeats(receiver.firstArrivals())).toEqual(canonical())
  expect(Math.max(...receiver.arrivals.map(({ records }) => records.length))).toBe(2)
  for (const { records } of receiver.arrivals) expect(new Set(records.map(({ partition }) => partition)).size).toBe(1)
})

test.each([301, 308, 410])('a receiver that answers %i ends the run', async (status) => {
  const headers = { location: 'https://example.com/new' }
  await using receiver = await startReceiver({ secret, react: () => status, headers })
  const error = await run({ url: receiver.url }).catch((error) => error)
  expect(error).toMatchObject({ name: 'UserError', code: 'destination_refused' })
  expect(error.message).toContain(`status ${status} to "https://example.com/new" "seen"`)
})

test('a receiver that answers without an end has accepted the record', async () => {
  await using receiver = await startReceiver({ secret, react: () => 'endless' })
  await run({ url: receiver.url })
  expect(receiver.arrivals.length).toBe(receiver.firstArrivals().length)
})

test('with two secrets, a receiver that knows one of them accepts', async () => {
  const newer = `whsec_${randomBytes(24).toString('base64')}`
  for (const known of [secret, newer]) {
    await using receiver = await startReceiver({ secret: known })
    await run({ url: receiver.url, secret: `${newer} ${secret}` }, { name: known === secret ? 'a' : 'b' })
    expect(receiver.mistakes).toEqual([])
  }
})

test.each([
  '',
  'abc',
  'whsec_',
  'whsec_c2hvcnQ=',
  `whsec_${randomBytes(65).toString('base64')}`,
  `whsec_${'a'.repeat(33)}`,
  `${secret},${secret}`,
])('the secret "%s" is refused without being shown', (wrong) => {
  const refused = () => webhookSink({ url: 'https://example.com', secret: wrong })
  expect(refused).toThrow(expect.objectContaining({ code: 'invalid_webhook_secret' }))
  if (wrong.length > 6) expect(refused).not.toThrow(wrong)
})

test.each(['', 'ftp://host/', 'https://user:password@host/', 'example.com'])('the URL "%s" is refused', (url) => {
  expect(() => webhookSink({ url, secret })).toThrow(expect.objectContaining({ code: 'invalid_destination' }))
})
