import { expect, test } from 'vitest'
import { openEvents } from './clients/event-stream.ts'
import { connect } from './clients/json-rpc-client.ts'
import { numbers, type RecordJson, seqsOf } from './clients/shapes.ts'
import { orders, type ServedShop, serveShop } from './shop/served-shop.ts'

const count = 1000

/** Publishes in transactions of many sizes until there are `count` records. */
async function publishAll(shop: ServedShop, afterEach: (transaction: number) => void = () => {}): Promise<void> {
  for (let published = 0, size = 1, n = 0; published < count; size = (size * 7) % 61, n++) {
    const next = Math.min(size, count - published)
    await shop.publish(orders, next)
    published += next
    afterEach(n)
    await new Promise(setImmediate)
  }
}

test('readers that start at any moment and position neither miss nor repeat a record', async () => {
  // Little memory, so that most readers switch between history and feed.
  await using shop = await serveShop({ limits: { feedBytes: 10_000, historyBytes: 100_000 } })
  const readers: Promise<void>[] = []
  const url = `${shop.url}/ws/v1?api_key=${shop.key}`

  const readSocket = async (from: string) => {
    using client = await connect(url)
    await client.call('subscribe', { topics: [orders], from })
    const [first] = seqsOf(await client.notifications('subscription', 1))
    const expected = numbers(from === 'earliest' ? 0 : first!, count)
    expect(seqsOf(await client.notifications('subscription', expected.length))).toEqual(expected)
  }
  const readEvents = async () => {
    using stream = await openEvents(`${shop.url}/sse/v1?topics=${orders}&from=earliest&api_key=${shop.key}`)
    const events = await stream.take<RecordJson>('message', count)
    expect(seqsOf(events.map(({ data }) => data))).toEqual(numbers(0, count))
  }
  await publishAll(shop, (transaction) => {
    if (transaction % 4 === 3) readers.push(readSocket('earliest'), readSocket('last:5'), readEvents())
  })
  expect(readers.length).toBeGreaterThan(20)
  await Promise.all(readers)
})

test('a reader that reconnects with the cursor of its last record neither misses nor repeats a record', async () => {
  await using shop = await serveShop({ limits: { feedBytes: 10_000 } })
  const publishing = publishAll(shop)
  const seen: number[] = []
  let from = 'earliest'
  for (let take = 1; seen.length < count; take = (take * 5) % 307) {
    using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
    await client.call('subscribe', { topics: [orders], from })
    const wanted = Math.min(take, count - seen.length)
    const records = (await client.notifications('subscription', wanted)).slice(0, wanted)
    seen.push(...seqsOf(records))
    from = records.at(-1)!.cursor
  }
  expect(seen).toEqual(numbers(0, count))
  await publishing
})
