import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { numbers, type PageJson, type ProblemJson, seqsOf } from './clients/shapes.ts'
import { orders, type ServedShop, serveShop } from './shop/served-shop.ts'
import { shopOpened } from './shop/shop.ts'

let shop: ServedShop
const count = 1000

beforeAll(async () => {
  shop = await serveShop()
  for (let n = 0; n < count; n += 50) await shop.publish(orders, 50)
})
afterAll(() => shop[Symbol.asyncDispose]())

const data = (query = '') => shop.json<PageJson>(`/api/v1/data/${orders}${query}`)
const seqs = (page: PageJson): number[] => seqsOf(page.data)

test('the default page holds the newest 100 records, newest first', async () => {
  const page = await data()
  expect(page.topic).toBe(orders)
  expect(seqs(page)).toEqual(numbers(count, count - 100))
  expect(page.hasMore).toBe(true)
})

test('a record has its place, its headers and its value', async () => {
  const page = await data('?order=asc&limit=1')
  expect(page.data).toEqual([
    {
      topic: orders,
      partition: 0,
      seq: '0',
      unit: '1',
      offset: expect.stringMatching(/^\d+$/),
      time: '2026-08-21T10:00:00Z',
      key: null,
      op: 'append',
      value: { ts: '2026-08-21T10:00:00Z', number: '0', note: '', parcel: '0x' },
      cursor: expect.stringMatching(/^[\w-]+$/),
    },
  ])
  expect(Object.keys(page)).toEqual(['topic', 'data', 'nextCursor', 'headCursor', 'hasMore'])
  expect(Object.keys(page.data[0]!).at(-1)).toBe('cursor')
})

describe.each(['asc', 'desc'] as const)('pages in %s order', (order) => {
  test.each([1, 7, 256, 1000])('of %i records hold each record once', async (limit) => {
    const seen: number[] = []
    let page = await data(`?order=${order}&limit=${limit}&from=last:${Math.min(count, limit * 20)}`)
    const expected = numbers(count - Math.min(count, limit * 20), count)
    for (;;) {
      seen.push(...seqs(page))
      expect(page.data.length).toBeLessThanOrEqual(limit)
      if (!page.hasMore) break
      const start = order === 'desc' ? `&from=last:${expected.length}` : ''
      page = await data(`?order=${order}&limit=${limit}&cursor=${page.nextCursor}${start}`)
    }
    expect(seen).toEqual(order === 'asc' ? expected : expected.toReversed())
  })

  test('of a range that ends before it begins are empty, and reading continues at its start', async () => {
    const query = `?order=${order}&from=last:10&to=earliest`
    const begin = order === 'asc' ? (await data('?limit=11')).data.at(-1)!.cursor : undefined
    const page = await data(query)
    expect(page).toMatchObject({ data: [], hasMore: false })
    const lines = await shop.get(`/api/v1/data/${orders}${query}&format=ndjson`)
    expect(lines.headers.get('headrace-end-cursor')).toBe(page.nextCursor)
    expect(await lines.text()).toBe('')
    if (begin) expect(page.nextCursor).toBe(begin)
  })

  test('of an empty range are empty and have a cursor', async () => {
    const page = await data(`?order=${order}&from=2026-08-21T11:00:00Z&to=2026-08-21T11:00:00Z`)
    expect(page).toMatchObject({ data: [], hasMore: false, nextCursor: expect.stringMatching(/./) })
  })
})

test('the last page in ascending order ends where the topic ends', async () => {
  const page = await data('?order=asc&from=last:3')
  expect(page.hasMore).toBe(false)
  expect(page.nextCursor).toBe(page.headCursor)
  expect(await data(`?order=asc&cursor=${page.nextCursor}`)).toMatchObject({ data: [], hasMore: false })
})

test('the body of a page that is asked for by cursor depends on its URL and its records alone', async () => {
  const { nextCursor } = await data('?order=asc')
  const page = await data(`?order=asc&cursor=${nextCursor}`)
  expect(Object.keys(page)).toEqual(['topic', 'data', 'nextCursor', 'hasMore'])
})

test('the cursor of a record is the position after it', async () => {
  const record = (await data('?order=asc&limit=1&from=last:10')).data[0]!
  expect(seqs(await data(`?order=asc&limit=2&cursor=${record.cursor}`))).toEqual([count - 9, count - 8])
  expect(seqs(await data(`?order=desc&limit=2&cursor=${record.cursor}`))).toEqual([count - 10, count - 11])
})

test('adjacent time ranges neither miss nor repeat a record', async () => {
  const at = (second: number) => new Date(shopOpened + second * 1000).toISOString()
  const parts = await Promise.all([
    data(`?order=asc&limit=1000&to=${at(300)}`),
    data(`?order=asc&limit=1000&from=${at(300)}&to=${at(301)}`),
    data(`?order=asc&limit=1000&from=${at(301)}`),
  ])
  expect(parts.flatMap(seqs)).toEqual(numbers(0, count))
  expect(seqs(parts[1])).toEqual([300])
})

test('final ends before the oldest unit that can be reverted', async () => {
  expect(seqs(await data('?limit=1&to=final'))).toEqual([count - 51])
  expect(seqs(await data('?order=asc&limit=1&from=final'))).toEqual([count - 50])
})

test('both views are equal if no record was reverted', async () => {
  const [log, canonical] = [await data('?view=log'), await data('?view=canonical')]
  const withoutCursor = ({ data }: PageJson) => data.map(({ cursor, ...record }) => record)
  expect(withoutCursor(log)).toEqual(withoutCursor(canonical))
  expect(await data()).toEqual(canonical)
})

test('ndjson returns the whole range, one record per line, and its end in a header', async () => {
  const response = await shop.get(`/api/v1/data/${orders}?format=ndjson&order=asc`)
  expect(response.headers.get('content-type')).toContain('application/x-ndjson')
  const lines = (await response.text()).trimEnd().split('\n')
  expect(lines.map((line) => Number(JSON.parse(line).seq))).toEqual(numbers(0, count))
  const end = response.headers.get('headrace-end-cursor')
  expect(await data(`?order=asc&cursor=${end}`)).toMatchObject({ data: [], hasMore: false })
  const newestFirst = await (await shop.get(`/api/v1/data/${orders}?format=ndjson&from=last:300`)).text()
  const seen = newestFirst.trimEnd().split('\n')
  expect(seen.map((line) => Number(JSON.parse(line).seq))).toEqual(numbers(count, count - 300))
})

test.each([
  ['limit=0', 'limit'],
  ['limit=1001', 'limit'],
  ['limit=1e2', 'limit'],
  ['limit=', 'limit'],
  ['limit=5&limit=5', 'limit'],
  ['order=up', 'order'],
  ['view=all', 'view'],
  ['format=xml', 'format'],
  ['format=ndjson&limit=5', 'limit'],
  ['from=yesterday', 'from'],
  ['to=last:5', 'to'],
  ['page=2', 'page'],
  ['__proto__=1', '__proto__'],
])('?%s is refused with the name of the parameter', async (query, parameter) => {
  const response = await shop.get(`/api/v1/data/${orders}?${query}`)
  expect(response.status).toBe(400)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(await response.json()).toMatchObject({ code: 'invalid_parameter', parameter, status: 400 })
})

test('a cursor replaces from or to, and cannot be combined with it', async () => {
  const { nextCursor } = await data()
  for (const query of [`order=asc&from=earliest`, `order=desc&to=latest`])
    expect(await data(`?${query}&cursor=${nextCursor}`)).toMatchObject({ code: 'invalid_parameter' })
  expect(await data(`?order=desc&from=last:200&limit=2&cursor=${nextCursor}`)).toMatchObject({ hasMore: true })
})

test.each(['AAAA', 'AQ', 'earliest', '%00', 'A'.repeat(5000)])('cursor=%s is refused', async (cursor) => {
  expect(await data(`?cursor=${cursor}`)).toMatchObject({ code: 'invalid_cursor', status: 400 })
})

test('a page ends early when its records are large', async () => {
  await using large = await serveShop()
  await large.publish(orders, 12, () => ({ note: 'x'.repeat(500_000) }))
  const seen: number[] = []
  let page = await large.json<PageJson>(`/api/v1/data/${orders}`)
  let pages = 1
  for (; page.hasMore; pages++) {
    expect(page.data.length).toBeLessThan(9)
    seen.push(...seqs(page))
    page = await large.json<PageJson>(`/api/v1/data/${orders}?cursor=${page.nextCursor}`)
  }
  seen.push(...seqs(page))
  expect(pages).toBeGreaterThan(1)
  expect(seen).toEqual(numbers(12, 0))
})

test('a position before the earliest record is answered with 410 and the earliest cursor', async () => {
  await using old = await serveShop()
  for (let n = 0; n < 4; n++) await old.publish(orders, 10)
  const { nextCursor } = await old.json<PageJson>(`/api/v1/data/${orders}?order=asc&limit=5`)
  await old.queue.deleteBefore(orders, 0, 20n)
  const response = await old.get(`/api/v1/data/${orders}?order=asc&cursor=${nextCursor}`)
  expect(response.status).toBe(410)
  const problem = (await response.json()) as ProblemJson
  expect(problem).toMatchObject({ code: 'position_unavailable', topic: orders, reason: 'retention' })
  const page = await old.json<PageJson>(`/api/v1/data/${orders}?order=asc&limit=1&cursor=${problem.earliest}`)
  expect(seqs(page)).toEqual(seqs(await old.json<PageJson>(`/api/v1/data/${orders}?order=asc&limit=1`)))
  expect(seqs(await old.json<PageJson>(`/api/v1/data/${orders}`)).at(-1)).toBe(seqs(page)[0])
})

test('topics are listed, and one is described with its schema', async () => {
  const { topics } = await shop.json<{ topics: { topic: string }[] }>('/api/v1/topics')
  expect(topics.map(({ topic }) => topic)).toEqual([orders, orders.replace('Order', 'Return')])
  const topic = await shop.json<{ earliestCursor: string; headCursor: string }>(`/api/v1/topics/${orders}`)
  expect(topic).toMatchObject({ topic: orders, message: 'acme.shop.Order', bytes: 'hex', partitions: 1 })
  expect(seqs(await data(`?order=asc&limit=1&from=${topic.earliestCursor}`))).toEqual([0])
  expect(seqs(await data(`?limit=1&to=${topic.headCursor}`))).toEqual([count - 1])
})

test('a HEAD request gets the headers of a GET, and nothing is read for it', async () => {
  await using long = await serveShop()
  await long.publish(orders, 200, () => ({ note: 'x'.repeat(20_000) }))
  const headOf = async (path: string) => {
    const headers = { authorization: `Bearer ${long.key}`, 'accept-encoding': 'identity' }
    const response = await fetch(long.url + path, { method: 'HEAD', headers, signal: AbortSignal.timeout(20_000) })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    return response.headers
  }
  const page = await headOf(`/api/v1/data/${orders}?limit=1`)
  expect(Number(page.get('content-length'))).toBeGreaterThan(2000)
  const read = vi.spyOn(long.queue, 'read')
  const lines = await headOf(`/api/v1/data/${orders}?format=ndjson&order=asc`)
  expect(lines.get('content-type')).toContain('application/x-ndjson')
  expect(lines.get('headrace-end-cursor')).toMatch(/^[\w-]+$/)
  const stream = await headOf(`/sse/v1?topics=${orders}&from=earliest`)
  expect(stream.get('content-type')).toContain('text/event-stream')
  expect(read).not.toHaveBeenCalled()
})

test('the health paths need no key', async () => {
  expect(await (await fetch(`${shop.url}/health/live`)).json()).toEqual({ status: 'live' })
  expect(await (await fetch(`${shop.url}/health/ready`)).json()).toEqual({ status: 'ready' })
})
