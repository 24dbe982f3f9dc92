import { describe, expect, inject, test } from 'vitest'
import { connect } from './clients/json-rpc-client.ts'
import { numbers, type PageJson, seqsOf } from './clients/shapes.ts'
import { serveShop } from './shop/served-shop.ts'
import { uniqueTopic } from './shop/unique-topic.ts'

const bootstrap = inject('kafka')

describe.skipIf(bootstrap === null)('over Kafka', () => {
  test('pages and live records follow each other without a gap', async () => {
    const orders = uniqueTopic()
    await using shop = await serveShop({ queueUrl: `kafka://${bootstrap}`, topics: [orders] })
    for (let n = 0; n < 10; n++) await shop.publish(orders, 30)

    const ascending: number[] = []
    const descending: number[] = []
    let page = await shop.json<PageJson>(`/api/v1/data/${orders}?order=asc&limit=70`)
    for (; page.hasMore; page = await shop.json(`/api/v1/data/${orders}?order=asc&limit=70&cursor=${page.nextCursor}`))
      ascending.push(...seqsOf(page.data))
    expect([...ascending, ...seqsOf(page.data)]).toEqual(numbers(0, 300))
    const { headCursor } = page
    page = await shop.json<PageJson>(`/api/v1/data/${orders}?limit=70`)
    for (; page.hasMore; page = await shop.json(`/api/v1/data/${orders}?limit=70&cursor=${page.nextCursor}`))
      descending.push(...seqsOf(page.data))
    expect([...descending, ...seqsOf(page.data)]).toEqual(numbers(300, 0))

    using live = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
    using whole = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
    await live.call('subscribe', { topics: [orders], from: headCursor })
    await whole.call('subscribe', { topics: [orders], from: 'earliest' })
    for (let n = 0; n < 2; n++) await shop.publish(orders, 25)
    expect(seqsOf(await live.notifications('subscription', 50))).toEqual(numbers(300, 350))
    expect(seqsOf(await whole.notifications('subscription', 350))).toEqual(numbers(0, 350))
  })
})
