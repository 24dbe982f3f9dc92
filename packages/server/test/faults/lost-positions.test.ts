import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kafka, logLevel } from 'kafkajs'
import { describe, expect, inject, test } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { openEvents } from '../clients/event-stream.ts'
import { connect } from '../clients/json-rpc-client.ts'
import { numbers, type PageJson, type ProblemJson, type RecordJson, seqsOf } from '../clients/shapes.ts'
import { appendRecords } from '../shop/append-records.ts'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'
import { uniqueTopic } from '../shop/unique-topic.ts'

interface GapJson {
  readonly topic: string
  readonly after: string
  readonly resumeAt: string
  readonly reason: string
}

const kafka = inject('kafka')
const engines = [
  { engine: 'embedded', queueUrl: undefined },
  { engine: 'Kafka', queueUrl: kafka === null ? null : `kafka://${kafka}` },
].filter(({ queueUrl }) => queueUrl !== null)

describe.each(engines)('$engine', ({ engine, queueUrl }) => {
  // No cache, so that removed records cannot be served.
  const limits = { feedBytes: 1, historyBytes: 1 }
  const serve = (topic: string) => serveShop({ ...(queueUrl && { queueUrl }), limits, topics: [topic] })
  const socket = (shop: ServedShop) => connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  const page = (shop: ServedShop, topic: string, query: string) =>
    shop.json<PageJson & ProblemJson>(`/api/v1/data/${topic}?order=asc&${query}`)

  test('a reader that retention overtakes gets an error or a gap, live and when it reconnects', async () => {
    const plan = planFaults(`overtaken ${engine}`, { once: 2, scaled: 2, full: 80 }, ['skip', 'error'])
    for (let round = 0; round < plan.count; round++) {
      const onGap = round % 2 === 0 ? 'skip' : 'error'
      const topic = uniqueTopic()
      await using shop = await serve(topic)
      using reader = await socket(shop)
      await reader.call('subscribe', { topics: [topic], from: 'earliest', onGap })
      await shop.publish(topic, 10)
      await reader.notifications('subscription', 10)
      reader.ws.pause()
      const note = 'x'.repeat(20_000)
      const total = 10 + (await publishUntilStuck(shop, topic, note))
      const [description] = await shop.queue.describe([topic])
      const { end } = description!.partitions[0]!
      await shop.queue.deleteBefore(topic, 0, end - BigInt(5 + plan.random.integer(40)))
      const kept = await page(shop, topic, 'view=log')
      const first = Number(kept.data[0]!.seq)
      reader.ws.resume()

      const received = () => reader.messages.filter(({ method }) => method === 'subscription')
      if (onGap === 'skip') {
        const [gap] = await reader.notifications<GapJson>('gap', 1)
        const before = reader.messages.findIndex(({ method }) => method === 'gap')
        const sent = received().filter((message) => reader.messages.indexOf(message) < before).length
        expect(gap).toMatchObject({ topic, reason: 'retention' })
        const records = await reader.notifications('subscription', sent + total - first)
        expect(seqsOf(records)).toEqual([...numbers(0, sent), ...numbers(first, total)])
        expect(seqsOf((await page(shop, topic, `view=log&from=${gap!.resumeAt}`)).data)).toEqual(numbers(first, total))
        expect(await page(shop, topic, `view=log&from=${gap!.after}`)).toMatchObject({ code: 'position_unavailable' })
      } else {
        expect(await reader.closed).toMatchObject({ code: 4413 })
        const records = received().map(({ params }) => params as RecordJson)
        expect(seqsOf(records)).toEqual(numbers(0, records.length))
        using again = await socket(shop)
        const { error } = await again.call('subscribe', { topics: [topic], from: records.at(-1)!.cursor })
        expect(error).toMatchObject({ code: -32002, data: { code: 'position_unavailable', reason: 'retention' } })
      }
      plan.hit(onGap)
    }
    plan.expectAllHit()
  })

  test('a record missing from the log is reported, live and in history', async () => {
    const protocols = ['skip', 'error', 'event stream']
    const plan = planFaults(`missing ${engine}`, { once: 3, scaled: 9, full: 300 }, protocols)
    for (let round = 0; round < plan.count; round++) {
      const topic = uniqueTopic()
      await using shop = await serve(topic)
      const lost = 1 + plan.random.integer(50)
      const [first, second] = [1 + plan.random.integer(30), 1 + plan.random.integer(30)]
      const isLive = plan.random.integer(2) === 0
      const continues = first + lost
      const publish = async () => {
        await appendRecords(shop.queue, topic, numbers(0, first))
        await appendRecords(shop.queue, topic, numbers(continues, continues + second))
      }
      const expected = [...numbers(0, first), ...numbers(continues, continues + second)]
      if (!isLive) await publish()
      const protocol = protocols[round % protocols.length]!
      if (protocol === 'event stream') {
        const url = `${shop.url}/sse/v1?topics=${topic}&api_key=${shop.key}`
        using stream = await openEvents(`${url}&from=earliest`)
        if (isLive) await publish()
        const events = (await stream.readToEnd()).filter(({ event }) => event === 'message' || event === 'stream_error')
        expect(events.at(-1)).toMatchObject({ event: 'stream_error', data: { code: 'position_unavailable' } })
        expect(seqsOf(events.slice(0, -1).map(({ data }) => data as RecordJson))).toEqual(numbers(0, first))
        // An EventSource reconnects by itself.
        using again = await openEvents(url, { 'last-event-id': events.at(-1)!.id! })
        const [gap] = await again.take<GapJson>('gap', 1)
        expect(gap!.data).toMatchObject({ topic, reason: 'truncated' })
        const [next] = await again.take<RecordJson>('message', first)
        expect(Number(next!.data.seq)).toBe(0)
        await again.take('gap', 1)
        const rest = await again.take<RecordJson>('message', second)
        expect(seqsOf(rest.map(({ data }) => data))).toEqual(numbers(continues, continues + second))
      } else {
        using reader = await socket(shop)
        await reader.call('subscribe', { topics: [topic], from: 'earliest', onGap: protocol })
        if (isLive) await publish()
        if (protocol === 'skip') {
          expect(seqsOf(await reader.notifications('subscription', expected.length))).toEqual(expected)
          const [gap] = await reader.notifications<GapJson>('gap', 1)
          expect(gap).toMatchObject({ topic, reason: 'truncated' })
          const at = reader.messages.findIndex(({ method }) => method === 'gap')
          expect((reader.messages[at + 1]!.params as RecordJson).seq).toBe(`${continues}`)
          const rest = await page(shop, topic, `view=log&cursor=${gap!.resumeAt}`)
          expect(seqsOf(rest.data)).toEqual(numbers(continues, continues + second))
        } else {
          expect(await reader.closed).toMatchObject({ code: 4413 })
          const records = await reader.notifications('subscription', first)
          expect(seqsOf(records)).toEqual(numbers(0, first))
          const found = await page(shop, topic, `cursor=${records.at(-1)!.cursor}`)
          expect(found).toMatchObject({ status: 410, reason: 'truncated' })
        }
      }
      plan.hit(protocol)
    }
    plan.expectAllHit()
  })

  test('a cursor of the previous topic is refused after the topic was created again', async () => {
    const recreated = { fewer: 3, 'as many': 10, more: 25 }
    const counts = { once: 3, scaled: 3, full: 90 }
    const plan = planFaults(`created again ${engine}`, counts, Object.keys(recreated))
    for (let round = 0; round < plan.count; round++) {
      const [step, count] = Object.entries(recreated)[round % 3]!
      const topic = uniqueTopic()
      await using shop = await serve(topic)
      await shop.publish(topic, 10)
      const cursors = (await page(shop, topic, 'limit=5')).data.map(({ cursor }) => cursor)
      using live = await socket(shop)
      await live.call('subscribe', { topics: [topic], from: cursors[0] })
      await live.notifications('subscription', 9)
      if (queueUrl === undefined) {
        await using other = await serve(topic)
        await other.publish(topic, count)
        await expectRecreated(other, topic, cursors, numbers(0, count))
      } else {
        await recreate(shop, topic)
        await appendRecords(shop.queue, topic, numbers(0, count))
        expect([1013, 4413]).toContain((await live.closed).code)
        expect(live.messages.filter(({ method }) => method === 'subscription')).toHaveLength(9)
        await expectRecreated(shop, topic, cursors, numbers(0, count))
      }
      plan.hit(step)
    }
    plan.expectAllHit()
  })

  async function expectRecreated(
    shop: ServedShop,
    topic: string,
    cursors: readonly string[],
    seqs: readonly number[],
  ): Promise<void> {
    const lost = { code: 'position_unavailable', reason: 'recreated' }
    for (const cursor of cursors) expect(await page(shop, topic, `cursor=${cursor}`)).toMatchObject(lost)
    using client = await socket(shop)
    const refused = await client.call('subscribe', { topics: [topic], from: cursors[2] })
    expect(refused.error).toMatchObject({ code: -32002, data: lost })
    expect(seqsOf((await page(shop, topic, 'view=log')).data)).toEqual(seqs)
    expect(seqsOf((await page(shop, topic, `view=log&from=${refused.error!.data!.earliest}`)).data)).toEqual(seqs)
  }
})

test('embedded: a reader of a file that was replaced by an older one gets an error, whatever was published since', async () => {
  const plan = planFaults('older file', { once: 2, scaled: 4, full: 60 }, ['shorter', 'other records'])
  for (let round = 0; round < plan.count; round++) {
    const directory = await mkdtemp(join(tmpdir(), 'headrace-older-'))
    const serve = () => serveShop({ queueUrl: `embedded:${directory}/queue`, topics: [orders] })
    const [kept, lost] = [1 + plan.random.integer(20), 2 + plan.random.integer(20)]
    {
      await using shop = await serve()
      await appendRecords(shop.queue, orders, numbers(0, kept))
    }
    await cp(`${directory}/queue`, `${directory}/older`, { recursive: true })
    const cursors: string[] = []
    {
      await using shop = await serve()
      await appendRecords(shop.queue, orders, numbers(kept, kept + lost))
      const { data } = await shop.json<PageJson>(`/api/v1/data/${orders}?order=asc&from=last:${lost}`)
      cursors.push(...data.map(({ cursor }) => cursor))
    }
    await rm(`${directory}/queue`, { recursive: true })
    await cp(`${directory}/older`, `${directory}/queue`, { recursive: true })
    {
      await using shop = await serve()
      const step = round % 2 === 0 ? 'shorter' : 'other records'
      if (step === 'other records') {
        await shop.queue.append([{ topic: orders, key: null, value: null, time: 0 }])
        await appendRecords(shop.queue, orders, numbers(kept, kept + lost + 5))
      }
      for (const from of cursors) {
        const found = await shop.json<ProblemJson>(`/api/v1/data/${orders}?order=asc&cursor=${from}`)
        expect(found).toMatchObject({ code: 'position_unavailable', reason: 'truncated' })
        using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
        const { error } = await client.call('subscribe', { topics: [orders], from })
        expect(error).toMatchObject({ code: -32002, data: { reason: 'truncated' } })
      }
      plan.hit(step)
    }
    await rm(directory, { recursive: true })
  }
  plan.expectAllHit()
})

/** Publishes until the socket buffers of a reader are full, and returns the number of records. */
async function publishUntilStuck(shop: ServedShop, topic: string, note: string): Promise<number> {
  let published = 0
  let sentBefore = 0
  for (let stuck = 0; stuck < 5; ) {
    await shop.publish(topic, 50, () => ({ note }))
    published += 50
    const metrics = await shop.gateway.metrics()
    const sumOf = (name: string) =>
      metrics.find((metric) => metric.name === name)!.values.reduce((sum, { value }) => sum + value, 0)
    const sent = sumOf('headrace_gateway_records_sent_total')
    stuck = sumOf('headrace_gateway_unsent_bytes') > 0 && sent === sentBefore ? stuck + 1 : 0
    sentBefore = sent
  }
  return published
}

async function recreate({ queue }: ServedShop, topic: string): Promise<void> {
  const admin = new Kafka({ brokers: [kafka!], logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  await admin.deleteTopics({ topics: [topic] })
  await expect.poll(() => queue.describe([topic]), { timeout: 30_000 }).toEqual([])
  await admin.disconnect()
  await queue.createTopics([{ name: topic }])
}
