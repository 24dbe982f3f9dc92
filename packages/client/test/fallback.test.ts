import { createClient, type RetryNotice } from '@headrace/client'
import { expect, test } from 'vitest'
import { openLine } from '../../server/test/clients/line.ts'
import { numbers } from '../../server/test/clients/shapes.ts'
import { orders, serveShop } from '../../server/test/shop/served-shop.ts'
import { errorOf, seqsIn, take } from './reading.ts'

test('the client reads live data over SSE if WebSocket is blocked', async () => {
  await using shop = await serveShop()
  await shop.publish(orders, 10)
  await using line = await openLine(Number(new URL(shop.url).port))
  line.blocksUpgrades = true
  const notices: RetryNotice[] = []
  const client = createClient({ url: line.url, apiKey: shop.key, onRetry: (notice) => void notices.push(notice) })
  const batches = await take(client.follow({ topics: [orders] }), 250, async (_, count) => {
    if (count % 100 === 0) line.cut()
    await shop.publish(orders, 10)
  })
  expect(seqsIn(batches)).toEqual(numbers(0, batches.flatMap(({ records }) => records).length))
  // After the switch, no socket is opened.
  expect(notices.filter(({ error }) => error.message.includes('WebSocket'))).toHaveLength(1)
})

test('transport websocket is retried and never switches to SSE', async () => {
  await using shop = await serveShop()
  await using line = await openLine(Number(new URL(shop.url).port))
  line.blocksUpgrades = true
  const client = createClient({ url: line.url, apiKey: shop.key, transport: 'websocket', retryForMs: 700 })
  expect(await errorOf(client.subscribe({ topics: [orders] }))).toMatchObject({
    code: 'service_unavailable',
    message: 'The WebSocket did not open.',
  })
})

test('a connection limit is retried', async () => {
  await using shop = await serveShop()
  await shop.publish(orders, 1)
  const { key } = await shop.addKey({ connections: 1 })
  const notices: RetryNotice[] = []
  const client = createClient({ url: shop.url, apiKey: key, onRetry: (notice) => void notices.push(notice) })
  const first = client.subscribe({ topics: [orders], from: 'last:1' })
  await first.next()
  const second = client.subscribe({ topics: [orders], from: 'last:1' }).next()
  while (notices.length === 0) await new Promise(setImmediate)
  await first.return()
  expect((await second).value).toMatchObject({ topic: orders })
  expect(notices[0]!.error).toMatchObject({ code: 'connection_limit', retryAfterMs: 1000 })
})
