import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEvents } from './clients/event-stream.ts'
import { connect } from './clients/json-rpc-client.ts'
import type { PageJson, ProblemJson, ProgressJson, RecordJson } from './clients/shapes.ts'
import { type Chain, nameOf, openChain } from './shop/chain.ts'
import { type ServedShop, serveShop } from './shop/served-shop.ts'

let shop: ServedShop
const chains: Chain[] = []

beforeAll(async () => {
  shop = await serveShop({ limits: { heartbeatMs: 150 } })
  for (const [name, partitions] of Object.entries({ four: 4, three: 3, wide0: 64, wide1: 64, wide2: 64 })) {
    const chain = await openChain(shop.queue, { topic: `acme.${name}.1_0_0.shop_Order`, partitions })
    await chain.publish({ partitions: [0, 1, 2, 2, 1] }, { partitions: [2, 0], after: 0 }, { partitions: [1, 1, 0] })
    chains.push(chain)
  }
  for (const { topic } of chains) await shop.waitForTopic(topic)
})
afterAll(() => shop[Symbol.asyncDispose]())

const data = (topic: string, query: string) => shop.json<PageJson>(`/api/v1/data/${topic}?${query}`)
const names = (records: readonly RecordJson[]) =>
  records.map(({ partition, seq }) => nameOf({ partition, seq: Number(seq) }))
const inOrder = ({ log }: Chain) =>
  log
    .flat()
    .sort((one, other) => one.time - other.time || one.partition - other.partition || one.seq - other.seq)
    .map(nameOf)

test('records are in order of time and partition, and newest first in exactly the reverse order', async () => {
  const [chain] = chains
  const { topic } = chain!
  const expected = inOrder(chain!)
  expect(names((await data(topic, 'order=asc&view=log')).data)).toEqual(expected)
  expect(names((await data(topic, 'order=desc')).data)).toEqual(expected.toReversed())
  expect(names((await data(topic, 'order=asc&from=last:4')).data)).toEqual(expected.slice(-4))
  const lines = (await (await shop.get(`/api/v1/data/${topic}?format=ndjson&order=asc`)).text()).trimEnd().split('\n')
  expect(names(lines.map((line) => JSON.parse(line)))).toEqual(expected)
})

test('the cursor of a record is the position after it in all partitions', async () => {
  const { topic } = chains[0]!
  const { data: all } = await data(topic, 'order=asc&view=log')
  for (const [index, { cursor }] of all.entries()) {
    const after = await data(topic, `order=asc&view=log&cursor=${cursor}`)
    expect(names(after.data)).toEqual(names(all.slice(index + 1)))
    const before = await data(topic, `order=desc&view=log&cursor=${cursor}`)
    expect(names(before.data)).toEqual(names(all.slice(0, index + 1)).toReversed())
  }
})

test('a stream continues exactly at each event id over several partitioned topics', async () => {
  const [four, three] = chains as [Chain, Chain]
  const url = `${shop.url}/sse/v1?topics=${four.topic},${three.topic}&api_key=${shop.key}`
  const all = [...four.log.flat(), ...three.log.flat()].length
  using stream = await openEvents(`${url}&from=earliest`)
  const events = await stream.take<RecordJson>('message', all)
  const keyOf = ({ topic, partition, seq }: RecordJson) => `${topic} ${partition}:${seq}`
  for (const index of [0, 3, 7, 11, 15]) {
    using again = await openEvents(url, { 'last-event-id': events[index]!.id! })
    const rest = await again.take<RecordJson>('message', all - index - 1)
    expect(rest.map((event) => keyOf(event.data)).sort()).toEqual(
      events
        .slice(index + 1)
        .map((event) => keyOf(event.data))
        .sort(),
    )
  }
})

test('live records of every partition arrive, and reading continues exactly at each cursor', async () => {
  const chain = chains[1]!
  using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  using other = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  for (const each of [client, other]) await each.call('subscribe', { topics: [chain.topic] })
  await chain.publish({ partitions: [2, 0, 1] })
  await chain.publish({ partitions: [1, 1, 0, 2] })
  const records = await client.notifications('subscription', 7)
  expect(await other.notifications('subscription', 7)).toEqual(records)
  for (const [index, { cursor }] of records.entries()) {
    const rest = await data(chain.topic, `order=asc&view=log&cursor=${cursor}`)
    expect(names(rest.data).sort()).toEqual(names(records.slice(index + 1)).sort())
  }
  const lastUnit = async () => (await client.notifications<ProgressJson>('progress', 1)).at(-1)!.units[chain.topic]
  await expect.poll(lastUnit, { timeout: 20_000 }).toBe(records.at(-1)!.unit)
})

test('a stream whose cursor could become too long is refused with a remedy', async () => {
  const wide = chains.slice(2).map(({ topic }) => topic)
  using two = await openEvents(`${shop.url}/sse/v1?topics=${wide.slice(0, 2)}&api_key=${shop.key}&from=earliest`)
  await two.take('message', 20)
  using three = await openEvents(`${shop.url}/sse/v1?topics=${wide}&api_key=${shop.key}`)
  const problem = (await three.response.json()) as ProblemJson
  expect(problem).toMatchObject({ status: 400, code: 'too_many_subscriptions' })
  expect(problem.detail).toContain('Use fewer topics per connection')
  using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  await client.call('subscribe', { topics: wide, from: 'earliest' })
  await client.notifications('subscription', 30)
})
