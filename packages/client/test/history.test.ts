import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, type HistoryOptions, type RetryNotice } from '@headrace/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLine } from '../../server/test/clients/line.ts'
import { numbers } from '../../server/test/clients/shapes.ts'
import { orders, returns, type ServedShop, serveShop } from '../../server/test/shop/served-shop.ts'
import { freePorts } from '../../testbed/kafka/free-ports.ts'
import { all, errorOf, seqsIn, take, takeUntil } from './reading.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop()
  for (let n = 0; n < 25; n++) await shop.publish(orders, 100)
})
afterAll(() => shop[Symbol.asyncDispose]())

const open = () => createClient({ url: shop.url, apiKey: shop.key })

test('a whole topic is read in either order, in pages of the requested size', async () => {
  const ascending = await all(open().history({ topic: orders, pageSize: 700 }))
  expect(ascending.map(({ records }) => records.length)).toEqual([700, 700, 700, 400])
  expect(seqsIn(ascending)).toEqual(numbers(0, 2500))
  const descending = await all(open().history({ topic: orders, order: 'desc', view: 'log' }))
  expect(seqsIn(descending)).toEqual(numbers(0, 2500).reverse())
  expect(ascending[0]!.records[0]).toMatchObject({ topic: orders, op: 'append', value: { number: '0' } })
})

test('a range starts and ends at the requested positions', async () => {
  const [page] = await take(open().history({ topic: orders, pageSize: 30 }), 30)
  const before = open().history({ topic: orders, to: page!.cursor, order: 'desc' })
  expect(seqsIn(await all(before))).toEqual(numbers(0, 30).reverse())
  expect(seqsIn(await all(open().history({ topic: orders, from: 'last:5' })))).toEqual(numbers(2495, 2500))
  const first = page!.records[9]!.cursor
  const between = open().history({ topic: orders, from: first, to: page!.cursor, pageSize: 7 })
  expect(seqsIn(await all(between))).toEqual(numbers(10, 30))
})

test('a range of the newest records is fixed at the first page', async () => {
  await using busy = await serveShop()
  await busy.publish(orders, 1000)
  const client = createClient({ url: busy.url, apiKey: busy.key })
  const read = async (options: Pick<HistoryOptions<string>, 'from' | 'to' | 'order'>) => {
    const pages = client.history({ topic: orders, view: 'log', pageSize: 100, ...options })
    return seqsIn(await take(pages, Number.POSITIVE_INFINITY, () => busy.publish(orders, 20)))
  }
  expect(await read({ from: 'last:700', order: 'desc' })).toEqual(numbers(300, 1000).reverse())
  for (const to of ['latest', '2999-01-01T00:00:00Z']) {
    const end = seqsIn(await take(client.history({ topic: orders, from: 'last:1' }), 1))[0]! + 1
    expect(await read({ to })).toEqual(numbers(0, end))
  }
})

test('the log continues live at the head of the first page, after any number of pages', async () => {
  await using busy = await serveShop()
  for (let n = 0; n < 5; n++) await busy.publish(orders, 100)
  const client = createClient({ url: busy.url, apiKey: busy.key })
  for (const order of ['asc', 'desc'] as const) {
    const reading = client.history({ topic: orders, view: 'log', order, pageSize: 100 })
    const pages = await takeUntil(
      reading,
      () => false,
      () => busy.publish(orders, 10),
    )
    const end = Math.max(...seqsIn(pages)) + 1
    for (const { headCursor } of [pages[0]!, pages.at(-1)!]) {
      const [batch] = await take(client.subscribe({ topics: [orders], from: headCursor }), 1)
      expect(batch!.records[0]!.seq).toBe(`${end}`)
    }
  }
})

test('an empty topic is one empty page', async () => {
  const pages = await all(open().history({ topic: returns }))
  expect(pages).toMatchObject([{ topic: returns, records: [] }])
})

test('an exhausted rate is retried after the time that the gateway demands', async () => {
  const { key } = await shop.addKey({ rate: 1, burst: 1 })
  const notices: RetryNotice[] = []
  const client = createClient({ url: shop.url, apiKey: key, onRetry: (notice) => void notices.push(notice) })
  expect(seqsIn(await all(client.history({ topic: orders, from: 'last:1500', pageSize: 1000 })))).toEqual(
    numbers(1000, 2500),
  )
  expect(notices.length).toBeGreaterThan(0)
  for (const { error, delayMs } of notices) {
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: expect.any(Number) })
    expect(delayMs).toBeGreaterThanOrEqual(error.retryAfterMs!)
  }
})

test.each([
  ['a missing topic', { topic: 'no.such_topic' }, 'topic_not_found'],
  ['a system topic', { topic: '_headrace.keys' }, 'topic_forbidden'],
  ['an invalid position', { topic: orders, from: 'never' }, 'invalid_parameter'],
  ['a cursor of another topic', { topic: returns, from: 'AQAA' }, 'invalid_cursor'],
])('%s is refused with the code of the gateway', async (_, request, code) => {
  const error = await errorOf(open().history(request))
  expect(error).toMatchObject({ name: 'RefusedError', code, requestId: expect.any(String) })
})

test('an unknown key is refused', async () => {
  const error = await errorOf(createClient({ url: shop.url, apiKey: `${shop.key}x` }).history({ topic: orders }))
  expect(error).toMatchObject({ code: 'invalid_key', status: 401 })
})

test('a key with a registered origin is accepted with this origin', async () => {
  const origin = 'https://reader.example'
  const { key } = await shop.addKey({ origins: [origin], requireOrigin: true })
  const request = { topic: orders, from: 'last:1' }
  const refused = await errorOf(createClient({ url: shop.url, apiKey: key }).history(request))
  expect(refused).toMatchObject({ code: 'origin_not_allowed' })
  const client = createClient({ url: shop.url, apiKey: key, origin })
  expect(seqsIn(await all(client.history(request)))).toEqual([2499])
  expect(seqsIn(await take(client.subscribe({ topics: [orders], from: 'last:1' }), 1))).toEqual([2499])
})

test('the error for removed records names the earliest position', async () => {
  await using old = await serveShop()
  for (let n = 0; n < 3; n++) await old.publish(orders, 10)
  const client = createClient({ url: old.url, apiKey: old.key })
  const [page] = await take(client.history({ topic: orders, pageSize: 5 }), 5)
  await old.queue.deleteBefore(orders, 0, 10n)
  const error = (await errorOf(client.history({ topic: orders, from: page!.cursor }))) as { earliest: string }
  expect(error).toMatchObject({ name: 'PositionUnavailableError', reason: 'retention', topic: orders })
  const left = seqsIn(await all(client.history({ topic: orders, from: error.earliest })))
  expect(left).toEqual(numbers(left[0]!, 30))
  expect(left[0]).toBeGreaterThan(5)
})

test('an interrupted response is requested again, wherever it was interrupted', async () => {
  await using line = await openLine(Number(new URL(shop.url).port))
  const client = createClient({ url: line.url, apiKey: shop.key })
  let cuts = 0
  const cutAgain = (bytes: number): Promise<void> =>
    line.cutAfter(bytes).then(() => {
      cuts++
      return cutAgain(bytes + 10_021)
    })
  void cutAgain(1)
  const seqs = seqsIn(await all(client.history({ topic: orders, pageSize: 250 })))
  expect(cuts).toBeGreaterThan(3)
  expect(seqs).toEqual(numbers(0, 2500))
})

test('a gateway that does not answer is retried for retryForMs', async () => {
  const [port] = await freePorts(1)
  const notices: RetryNotice[] = []
  const url = `http://127.0.0.1:${port}`
  const client = createClient({
    ...{ url, apiKey: shop.key, retryForMs: 700 },
    onRetry: (notice) => void notices.push(notice),
  })
  const error = await errorOf(client.history({ topic: orders }))
  expect(error).toMatchObject({ name: 'UnavailableError', code: 'service_unavailable' })
  expect((error as Error).message).toContain(`127.0.0.1:${port}`)
  expect(notices.map(({ attempt }) => attempt)).toEqual(numbers(1, notices.length + 1))
  expect(notices.length).toBeGreaterThan(0)
  for (const failure of [error, ...notices.map(({ error }) => error)])
    expect(JSON.stringify([failure, String(failure)])).not.toContain(shop.key)
})

test.each([200, 404])('a server that is not a gateway and answers with status %i is detected', async (status) => {
  const server = createServer((_, response) => response.writeHead(status).end('<html>Welcome</html>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const error = await errorOf(createClient({ url, apiKey: shop.key }).history({ topic: orders }))
  expect(error).toMatchObject({ code: 'unexpected_answer', status })
  server.close()
})

test('a signal ends reading with its reason, even if the next page has arrived', async () => {
  await using line = await openLine(Number(new URL(shop.url).port))
  const client = createClient({ url: line.url, apiKey: shop.key })
  const stop = new AbortController()
  const reason = new Error('enough')
  const reading = client.history({ topic: orders, pageSize: 100, signal: stop.signal })
  await reading.next()
  await line.quiet()
  stop.abort(reason)
  await expect(reading.next()).rejects.toBe(reason)
  expect(await errorOf(open().history({ topic: orders, signal: stop.signal }))).toBe(reason)
})
