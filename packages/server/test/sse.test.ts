import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRawSocket } from './attacks/raw-socket.ts'
import { openEvents } from './clients/event-stream.ts'
import { numbers, type PageJson, type ProblemJson, type RecordJson, seqsOf } from './clients/shapes.ts'
import { orders, returns, type ServedShop, serveShop } from './shop/served-shop.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop({ limits: { heartbeatMs: 150 } })
  for (let n = 0; n < 100; n += 20) await shop.publish(orders, 20)
  await shop.publish(returns, 10)
})
afterAll(() => shop[Symbol.asyncDispose]())

const open = (query: string, headers: Record<string, string> = {}) =>
  openEvents(`${shop.url}/sse/v1?${query}`, { authorization: `Bearer ${shop.key}`, ...headers })
const records = (events: readonly { data: RecordJson }[]) => seqsOf(events.map(({ data }) => data))
const statusOf = async (query: string, headers: Record<string, string> = {}) => {
  using stream = await open(query, headers)
  const { code } = (await stream.response.json()) as ProblemJson
  return [stream.response.status, code]
}

test('a stream starts with ready, then history, then live records, the same as in REST', async () => {
  using stream = await open(`topics=${orders}&from=earliest`)
  expect(stream.response.headers.get('content-type')).toContain('text/event-stream')
  const [ready] = await stream.take('ready', 1)
  expect(ready!.data).toEqual({ topics: [{ topic: orders, cursor: ready!.id }], heartbeatMs: 150 })
  const history = await stream.take<RecordJson>('message', 100)
  expect(records(history)).toEqual(numbers(0, 100))
  for (const { id, data } of history) expect(id).toBe(data.cursor)
  await shop.publish(orders, 5)
  const live = await stream.take<RecordJson>('message', 5)
  const { data } = await shop.json<PageJson>(`/api/v1/data/${orders}?limit=5&view=log`)
  expect(live.map((event) => event.data)).toEqual(data.toReversed())
})

test('a stream continues exactly at the id of every event, ready and progress included', async () => {
  using stream = await open(`topics=${orders}`)
  const [ready] = await stream.take('ready', 1)
  const [progress] = await stream.take('progress', 1)
  await shop.publish(orders, 3)
  const live = await stream.take<RecordJson>('message', 3)
  for (const id of [ready!.id!, progress!.id!]) {
    using again = await open(`topics=${orders}&from=earliest`, { 'last-event-id': id })
    expect(records(await again.take('message', 3))).toEqual(records(live))
  }
  using third = await open(`topics=${orders}&from=earliest&last_event_id=${live[1]!.id}`)
  expect(records(await third.take('message', 1))).toEqual([records(live)[2]])
})

test('several topics share one id, from which each continues', async () => {
  const last: Record<string, number> = {}
  const follow = async (events: readonly { data: RecordJson }[]) => {
    for (const { data } of events) {
      if (last[data.topic] !== undefined) expect(Number(data.seq)).toBe(last[data.topic]! + 1)
      last[data.topic] = Number(data.seq)
    }
  }
  let id = ''
  for (let round = 0; round < 5; round++) {
    using stream = await open(`topics=${orders},${returns}&from=last:5`, id ? { 'last-event-id': id } : {})
    await shop.publish(round % 2 ? orders : returns, 4)
    await shop.publish(round % 2 ? returns : orders, 3)
    const events = await stream.take<RecordJson>('message', round === 0 ? 17 : 7)
    await follow(events)
    id = events.at(-1)!.id!
  }
  const page = await shop.json<PageJson>(`/api/v1/data/${orders}?limit=1`)
  expect(seqsOf(page.data)).toEqual([last[orders]])
  using repeated = await open(`topics=${orders}&topics=${returns}&from=last:1`)
  await repeated.take('message', 2)
})

test('a comment and a progress are sent after silence', async () => {
  using stream = await open(`topics=${orders}`)
  await stream.take('comment', 1)
  const [progress] = await stream.take<{ cursors: Record<string, string> }>('progress', 1)
  expect(Object.keys(progress!.data.cursors)).toEqual([orders])
})

test.each([
  ['', 400, 'invalid_parameter'],
  ['topics=', 400, 'invalid_parameter'],
  [`topics=${orders},`, 400, 'invalid_parameter'],
  [`topics=${orders},${orders}`, 400, 'invalid_parameter'],
  [`topics=${orders}&limit=5`, 400, 'invalid_parameter'],
  [`topics=${orders}&from=earliest&from=latest`, 400, 'invalid_parameter'],
  [`topics=${orders}&from=never`, 400, 'invalid_parameter'],
  [`topics=${orders}&from=AQAA`, 400, 'invalid_cursor'],
  [`topics=${Array.from({ length: 21 }, (_, n) => `t${n}`)}`, 400, 'too_many_subscriptions'],
  ['topics=no.such_topic', 404, 'topic_not_found'],
  ['topics=_headrace.keys', 403, 'topic_forbidden'],
])('?%s is refused with an error of HTTP', async (query, status, code) => {
  expect(await statusOf(query)).toEqual([status, code])
})

test.each([
  ['from', 'from=never', {}],
  ['last_event_id', 'last_event_id=never', {}],
  ['Last-Event-ID', '', { 'last-event-id': 'never' }],
])('the refusal of a position names %s', async (parameter, query, headers) => {
  const response = await fetch(`${shop.url}/sse/v1?topics=${orders}&${query}`, {
    headers: { authorization: `Bearer ${shop.key}`, ...headers },
  })
  expect(await response.json()).toMatchObject({ code: 'invalid_parameter', parameter, status: 400 })
})

test('a Last-Event-ID that is not a cursor is refused', async () => {
  expect(await statusOf(`topics=${orders}`, { 'last-event-id': 'AQAA' })).toEqual([400, 'invalid_cursor'])
})

test('a lost Last-Event-ID is answered with a gap and the earliest record, a lost from with 410', async () => {
  await using old = await serveShop()
  for (let n = 0; n < 3; n++) await old.publish(orders, 10)
  const { nextCursor } = await old.json<PageJson>(`/api/v1/data/${orders}?order=asc&limit=5`)
  await old.queue.deleteBefore(orders, 0, 10n)
  const earliest = await old.json<PageJson>(`/api/v1/data/${orders}?order=asc&limit=1`)
  const url = `${old.url}/sse/v1?topics=${orders}&api_key=${old.key}`
  using stream = await openEvents(url, { 'last-event-id': nextCursor })
  expect(stream.response.status).toBe(200)
  const [gap] = await stream.take('gap', 1)
  expect(gap!.data).toMatchObject({ topic: orders, after: nextCursor, reason: 'retention' })
  const [first] = await stream.take<RecordJson>('message', 1)
  expect(first!.data).toEqual(earliest.data[0])
  using refused = await openEvents(`${url}&from=${nextCursor}`)
  expect(refused.response.status).toBe(410)
})

test('a revoked key ends the stream with an event', async () => {
  const { key, id } = await shop.addKey()
  using stream = await openEvents(`${shop.url}/sse/v1?topics=${orders}&api_key=${key}`)
  await stream.take('ready', 1)
  await shop.revokeKey(id)
  const events = await stream.readToEnd()
  expect(events.at(-1)).toMatchObject({ event: 'stream_error', data: { code: 'key_revoked' } })
})

test('an HTTP/1.0 client, such as a proxy, gets the events without chunks', async () => {
  await using old = await serveShop()
  await old.publish(orders, 3)
  using raw = await openRawSocket(old.url)
  raw.socket.write(`GET /sse/v1?topics=${orders}&from=earliest&api_key=${old.key} HTTP/1.0\r\n\r\n`)
  await raw.until('three records', () =>
    raw.received.toString().split('\ndata: {"topic"').length > 3 ? true : undefined,
  )
  const [head, body] = raw.received.toString().split('\r\n\r\n')
  expect(head).not.toMatch(/transfer-encoding/i)
  expect(body!.split('\n').filter((line) => !/^(event|id|data): |^$/.test(line))).toEqual([])
})
