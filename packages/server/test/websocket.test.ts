import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, type JsonRpcClient } from './clients/json-rpc-client.ts'
import { numbers, type PageJson, type ProgressJson, seqsOf } from './clients/shapes.ts'
import { orders, returns, type ServedShop, serveShop } from './shop/served-shop.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop({ limits: { heartbeatMs: 150, topicsPerWebSocket: 3 } })
  for (let n = 0; n < 600; n += 60) await shop.publish(orders, 60)
})
afterAll(() => shop[Symbol.asyncDispose]())

const open = (): Promise<JsonRpcClient> => connect(`${shop.url}/ws/v1`, { authorization: `Bearer ${shop.key}` })

const isPush = ({ method }: { method?: string }) => method === 'subscription'

describe('a subscription', () => {
  test('from the earliest record gets its reply, then the history, then live records', async () => {
    using client = await open()
    const reply = await client.call('subscribe', { topics: [orders], from: 'earliest' })
    expect(reply.result).toEqual({
      topics: [{ topic: orders, cursor: expect.stringMatching(/^[\w-]+$/) }],
      heartbeatMs: 150,
    })
    const before = await client.notifications('subscription', 600)
    expect(client.messages.findIndex(isPush)).toBeGreaterThan(client.messages.indexOf(reply))
    expect(seqsOf(before)).toEqual(numbers(0, before.length))
    await shop.publish(orders, 5)
    const { data } = await shop.json<PageJson>(`/api/v1/data/${orders}?limit=5&view=log`)
    const after = await client.notifications('subscription', before.length + 5)
    expect(seqsOf(after)).toEqual(numbers(0, after.length))
    expect(after.slice(-5)).toEqual(data.toReversed())
  })

  test('from the latest record gets only later records', async () => {
    using client = await open()
    await client.call('subscribe', { topics: [orders] })
    await shop.publish(orders, 3)
    const pushed = await client.notifications('subscription', 3)
    const { data } = await shop.json<PageJson>(`/api/v1/data/${orders}?limit=3&view=log`)
    expect(pushed).toEqual(data.toReversed())
  })

  test('from the head cursor of a page has neither a gap nor an overlap', async () => {
    using client = await open()
    const page = await shop.json<PageJson>(`/api/v1/data/${orders}?limit=1`)
    await shop.publish(orders, 4)
    await client.call('subscribe', { topics: [orders], from: page.headCursor })
    await shop.publish(orders, 4)
    const [last] = seqsOf(page.data)
    expect(seqsOf(await client.notifications('subscription', 8))).toEqual(numbers(last! + 1, last! + 9))
  })

  test('accepts a position for each topic, and is made for all topics or none', async () => {
    await shop.publish(returns, 10)
    using client = await open()
    const refused = await client.call('subscribe', { topics: [orders, 'no.such_topic'], from: 'earliest' })
    expect(refused.error).toMatchObject({ code: -32001, data: { code: 'topic_not_found', topic: 'no.such_topic' } })
    const reply = await client.call('subscribe', { topics: [orders, returns], from: { [returns]: 'last:4' } })
    expect(reply.result!.topics.map(({ topic }) => topic)).toEqual([orders, returns])
    const pushed = await client.notifications('subscription', 4)
    expect(pushed.map(({ topic, seq }) => [topic, seq])).toEqual(['6', '7', '8', '9'].map((seq) => [returns, seq]))
  })

  test('ends with unsubscribe, whose cursor continues where it stopped', async () => {
    using client = await open()
    await client.call('subscribe', { topics: [orders] })
    await shop.publish(orders, 1)
    await client.notifications('subscription', 1)
    const left = await client.call('unsubscribe', { topics: [orders] })
    await shop.publish(orders, 2)
    expect((await client.call('ping')).result).toBe('pong')
    expect(client.messages.filter(isPush)).toHaveLength(1)
    await client.call('subscribe', { topics: [orders], from: left.result!.topics[0]!.cursor })
    const [first, ...others] = seqsOf(await client.notifications('subscription', 3))
    expect(others).toEqual([first! + 1, first! + 2])
    expect((await client.call('unsubscribe')).result!.topics).toHaveLength(1)
    expect((await client.call('unsubscribe')).result!.topics).toEqual([])
  })

  test('sends its cursors after silence, and reading continues from them', async () => {
    using client = await open()
    await client.call('subscribe', { topics: [orders], from: 'earliest' })
    const newest = await shop.json<PageJson>(`/api/v1/data/${orders}?limit=1`)
    // The checkpoint that a gateway uses may be a second old.
    const unit = async () => Number((await client.notifications<ProgressJson>('progress', 1)).at(-1)!.units[orders])
    await expect.poll(unit, { timeout: 20_000 }).toBeGreaterThanOrEqual(Number(newest.data[0]!.unit))
    const progress = (await client.notifications<ProgressJson>('progress', 1)).at(-1)
    await shop.publish(orders, 1)
    const { data } = await shop.json<PageJson>(`/api/v1/data/${orders}?order=asc&cursor=${progress!.cursors[orders]}`)
    expect(data).toHaveLength(1)
  })
})

test('records in frames of every length are the same as in REST', async () => {
  await using lengths = await serveShop()
  using client = await connect(`${lengths.url}/ws/v1`, { authorization: `Bearer ${lengths.key}` })
  await client.call('subscribe', { topics: [orders] })
  const empty = 300
  const sizes = [0, 1, 65_535 - empty, 65_536 - empty, 65_537 - empty, 70_000, 300_000]
  await lengths.publish(orders, sizes.length, (number) => ({ note: 'é'.repeat(sizes[number]! / 2) }))
  const { data } = await lengths.json<PageJson>(`/api/v1/data/${orders}?order=asc&view=log`)
  expect(await client.notifications('subscription', sizes.length)).toEqual(data)
})

describe('a subscribe is refused', () => {
  test.each([
    [{}, -32602, 'invalid_parameter'],
    [{ topics: [] }, -32602, 'invalid_parameter'],
    [{ topics: orders }, -32602, 'invalid_parameter'],
    [{ topics: [orders, orders] }, -32602, 'invalid_parameter'],
    [{ topics: [orders], since: 'earliest' }, -32602, 'invalid_parameter'],
    [{ topics: [orders], from: 'yesterday' }, -32602, 'invalid_parameter'],
    [{ topics: [orders], from: { [returns]: 'earliest' } }, -32602, 'invalid_parameter'],
    [{ topics: [orders], from: 'AQAA' }, -32602, 'invalid_cursor'],
    [{ topics: [orders], onGap: 'ignore' }, -32602, 'invalid_parameter'],
    [[orders], -32602, 'invalid_parameter'],
    [{ topics: ['_headrace.keys'] }, -32001, 'topic_forbidden'],
    [{ topics: ['a', 'b', 'c', 'd'] }, -32006, 'too_many_subscriptions'],
  ])('for %j', async (params, code, name) => {
    using client = await open()
    expect((await client.call('subscribe', params)).error).toMatchObject({ code, data: { code: name } })
  })

  test('for a topic that is already subscribed', async () => {
    using client = await open()
    await client.call('subscribe', { topics: [orders] })
    expect((await client.call('subscribe', { topics: [returns, orders] })).error).toMatchObject({ code: -32602 })
    expect((await client.call('unsubscribe')).result!.topics).toHaveLength(1)
  })

  test('for a lost position, with the earliest one; with onGap skip it starts there and reports the gap', async () => {
    await using old = await serveShop()
    for (let n = 0; n < 3; n++) await old.publish(orders, 10)
    const { nextCursor } = await old.json<PageJson>(`/api/v1/data/${orders}?order=asc&limit=5`)
    await old.queue.deleteBefore(orders, 0, 10n)
    using client = await connect(`${old.url}/ws/v1`, { authorization: `Bearer ${old.key}` })
    const refused = await client.call('subscribe', { topics: [orders], from: nextCursor })
    expect(refused.error).toMatchObject({ code: -32002, data: { code: 'position_unavailable', reason: 'retention' } })
    const earliest = refused.error!.data!.earliest!

    await client.call('subscribe', { topics: [orders], from: nextCursor, onGap: 'skip' })
    const [gap] = await client.notifications('gap', 1)
    expect(gap).toEqual({ topic: orders, after: nextCursor, resumeAt: earliest, reason: 'retention' })
    const first = seqsOf(await client.notifications('subscription', 20))
    await client.call('unsubscribe')
    await client.call('subscribe', { topics: [orders], from: earliest })
    expect(seqsOf(await client.notifications('subscription', 40)).slice(20)).toEqual(first)
  })

  test('when the rate of the key is exhausted', async () => {
    const { key } = await shop.addKey({ rate: 1, burst: 4 })
    using client = await connect(`${shop.url}/ws/v1?api_key=${key}`)
    const answers = [await client.call('ping'), await client.call('ping'), await client.call('ping')]
    const refused = answers.find(({ error }) => error)
    expect(refused!.error).toMatchObject({ code: -32005, data: { code: 'rate_limited' } })
  })
})

describe('JSON-RPC 2.0', () => {
  const code = async (text: string) => {
    using client = await open()
    const { id, error } = await client.raw(text)
    return [id, error?.code]
  }

  test.each(['{', '', 'nonsense', '{"jsonrpc":"2.0","id":1,"method":'])('%j is a parse error', async (text) => {
    expect(await code(text)).toEqual([null, -32700])
  })

  test.each([
    '1',
    'null',
    '"subscribe"',
    '[]',
    '{"id":1,"method":"ping"}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":7}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}',
  ])('%s is not a request', async (text) => {
    expect(await code(text)).toEqual([null, -32600])
  })

  test.each(['nothing', 'toString', '__proto__'])('%s is not a method', async (method) => {
    expect(await code(JSON.stringify({ jsonrpc: '2.0', id: 'a', method }))).toEqual(['a', -32601])
  })

  test('a notification is executed and never answered', async () => {
    using client = await open()
    client.ws.send(
      JSON.stringify({ jsonrpc: '2.0', method: 'subscribe', params: { topics: [orders], from: 'last:2' } }),
    )
    client.ws.send(JSON.stringify({ jsonrpc: '2.0', method: 'nothing' }))
    await client.notifications('subscription', 2)
    expect((await client.call('ping')).result).toBe('pong')
    expect(client.messages.filter(({ id }) => id !== undefined)).toHaveLength(1)
  })

  test('a batch is answered before the records of its subscriptions', async () => {
    using client = await open()
    const request = (id: number | undefined, method: string, params?: unknown) => ({
      jsonrpc: '2.0',
      id,
      method,
      params,
    })
    const answers = await client.raw(
      JSON.stringify([
        request(1, 'subscribe', { topics: [orders], from: 'last:1' }),
        request(undefined, 'ping'),
        request(2, 'ping'),
        7,
      ]),
    )
    expect(answers).toMatchObject([{ id: 1 }, { id: 2, result: 'pong' }, { id: null, error: { code: -32600 } }])
    await client.notifications('subscription', 1)
    await client.call('unsubscribe')
    const twice = await client.raw(
      JSON.stringify([
        request(3, 'subscribe', { topics: [orders], from: 'last:1' }),
        request(4, 'subscribe', { topics: [orders], from: 'last:1' }),
        request(5, 'unsubscribe'),
        request(6, 'subscribe', { topics: [orders], from: 'last:2' }),
      ]),
    )
    expect(twice).toMatchObject([{ id: 3 }, { id: 4, error: { code: -32602 } }, { id: 5 }, { id: 6 }])
    await client.notifications('subscription', 3)
    expect((await client.call('ping')).result).toBe('pong')
    expect(client.messages.filter(isPush)).toHaveLength(3)
    const many = Array.from({ length: 21 }, (_, id) => request(id, 'ping'))
    expect(await client.raw(JSON.stringify(many))).toMatchObject({ id: null, error: { code: -32600 } })
  })
})

test('requests are answered in order', async () => {
  using client = await open()
  const calls = ['subscribe', 'ping', 'unsubscribe', 'ping'].map((method) =>
    client.call(method, method === 'subscribe' ? { topics: [orders] } : undefined),
  )
  await Promise.all(calls)
  expect(client.messages.filter(({ id }) => id).map(({ id }) => id)).toEqual([1, 2, 3, 4])
})

test.each([
  ['a binary message', Buffer.from('{}'), 1003],
  ['a message above 64 KiB', 'x'.repeat((64 << 10) + 1), 1009],
])('%s ends the connection', async (_what, message, code) => {
  using client = await open()
  client.ws.send(message)
  expect(await client.closed).toMatchObject({ code })
})
