import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'
import { expect, test } from 'vitest'
import { openEvents } from './clients/event-stream.ts'
import { connect } from './clients/json-rpc-client.ts'
import { type PageJson, type ProgressJson, type RecordJson, seqsOf } from './clients/shapes.ts'
import { orders, serveShop } from './shop/served-shop.ts'

test('a gateway that closes refuses new connections, sends its streams their cursors, and ends them', async () => {
  await using shop = await serveShop()
  await shop.publish(orders, 5)
  using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  await client.call('subscribe', { topics: [orders], from: 'earliest' })
  using stream = await openEvents(`${shop.url}/sse/v1?topics=${orders}&from=earliest&api_key=${shop.key}`)
  await client.notifications('subscription', 5)
  const [last] = (await stream.take<RecordJson>('message', 5)).slice(-1)

  const closing = shop.gateway.close()
  const port = Number(new URL(shop.url).port)
  const [refused] = await once(connectSocket(port, '127.0.0.1'), 'error')
  expect(refused.code).toBe('ECONNREFUSED')
  expect(await client.closed).toMatchObject({ code: 1012 })
  const [progress] = await client.notifications<ProgressJson>('progress', 1)
  expect(progress!.cursors[orders]).toBe(last!.data.cursor)
  expect((await stream.readToEnd()).map(({ event }) => event)).toEqual(['comment', 'progress'])
  await closing
})

test('an open request is answered when the gateway closes', async () => {
  await using shop = await serveShop()
  await shop.publish(orders, 1000, () => ({ note: 'x'.repeat(2000) }))
  const lines = await shop.get(`/api/v1/data/${orders}?format=ndjson&order=asc`)
  const closing = shop.gateway.close()
  const draining = (await shop.gateway.metrics()).find(({ name }) => name === 'headrace_gateway_draining')!
  expect(draining.values).toMatchObject([{ value: 1 }])
  const text = await lines.text()
  expect(text.trimEnd().split('\n')).toHaveLength(1000)
  await closing
})

test('another gateway of the same queue continues where the first one ended', async () => {
  await using shop = await serveShop()
  await shop.publish(orders, 3)
  const { headCursor } = await shop.json<PageJson>(`/api/v1/data/${orders}`)
  await shop.gateway.close()
  await shop.publish(orders, 3)
  const next = await shop.startAnother()
  using client = await connect(`${next.url}/ws/v1?api_key=${shop.key}`)
  await client.call('subscribe', { topics: [orders], from: headCursor })
  expect(seqsOf(await client.notifications('subscription', 3))).toEqual([3, 4, 5])
  await next.close()
})

test('a client that does not answer pings is disconnected', async () => {
  await using shop = await serveShop({ limits: { pingMs: 100 } })
  using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`, {}, { autoPong: false })
  expect(await client.closed).toMatchObject({ code: 4411 })
})
