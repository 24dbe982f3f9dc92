import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openEvents } from './clients/event-stream.ts'
import { connect } from './clients/json-rpc-client.ts'
import type { PageJson, ProgressJson, RecordJson } from './clients/shapes.ts'
import { createSkipCheck } from './clients/skip-check.ts'
import { type Chain, type ChainUnit, openChain } from './shop/chain.ts'
import { orders, returns, type ServedShop, serveShop } from './shop/served-shop.ts'
import { uniqueTopic } from './shop/unique-topic.ts'

const examinedRecords = 9

/** A filter, and the same as a function of the rendered record. */
interface Filter {
  readonly text: string
  accepts(record: RecordJson): boolean
}

const numberOf = ({ value }: RecordJson) => Number(value.number)

const filter: fc.Arbitrary<Filter> = fc.oneof(
  fc.array(fc.nat(12), { minLength: 1, maxLength: 4 }).map((numbers) => ({
    text: `value.number in [${numbers}]`,
    accepts: (record: RecordJson) => numbers.includes(numberOf(record)),
  })),
  fc.nat(12).map((number) => ({
    text: `value.number == ${number} || op == "revert"`,
    accepts: (record: RecordJson) => numberOf(record) === number || record.op === 'revert',
  })),
  fc.tuple(fc.nat(12), fc.nat(8)).map(([from, more]) => ({
    text: `value.number >= ${from} && !(value.number > ${from + more})`,
    accepts: (record: RecordJson) => numberOf(record) >= from && numberOf(record) <= from + more,
  })),
  fc.nat(8).map((unit) => ({ text: `unit > ${unit}`, accepts: (record: RecordJson) => Number(record.unit) > unit })),
  fc.constantFrom<Filter>(
    { text: 'value.note == "none"', accepts: () => false },
    { text: 'value.note == ""', accepts: () => true },
  ),
)

const steps = (partitions: number) =>
  fc.array(
    fc.array(
      fc.record<ChainUnit>({
        partitions: fc.array(fc.nat(partitions - 1), { maxLength: 7 }),
        revertUnits: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(5) }),
        after: fc.nat(3),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    { maxLength: 10 },
  )

const reading = fc.integer({ min: 1, max: 3 }).chain((partitions) =>
  fc.record({
    partitions: fc.constant(partitions),
    before: steps(partitions),
    during: steps(partitions),
    filter,
    limit: fc.integer({ min: 1, max: 12 }),
    cuts: fc.infiniteStream(fc.nat(6)),
  }),
)

async function open(shop: ServedShop, partitions: number, before: readonly (readonly ChainUnit[])[]): Promise<Chain> {
  const chain = await openChain(shop.queue, { topic: uniqueTopic(), partitions })
  for (const units of before) await chain.publish(...units)
  await shop.waitForTopic(chain.topic)
  return chain
}

const path = (topic: string, query: Record<string, string>) => `/api/v1/data/${topic}?${new URLSearchParams(query)}`
const namesOf = (records: readonly RecordJson[]) => records.map(({ partition, seq, op }) => `${partition}:${seq} ${op}`)

async function readAll(shop: ServedShop, topic: string, query: Record<string, string>): Promise<RecordJson[]> {
  const text = await (await shop.get(path(topic, { ...query, format: 'ndjson' }))).text()
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

const kafka = inject('kafka')
const run = { seed: inject('faultSeed'), endOnFailure: true }
const limits = { heartbeatMs: 60, examinedRecords }

testFilters({ engine: 'the embedded engine', runs: 20 })
if (kafka) testFilters({ engine: 'Kafka', queueUrl: `kafka://${kafka}`, runs: 3 })

interface FilterTests {
  readonly engine: string
  /** Default: a new embedded queue. */
  readonly queueUrl?: string
  readonly runs: number
}

function testFilters({ engine, queueUrl, runs }: FilterTests): void {
  describe(`a filter on ${engine}`, () => {
    let shop: ServedShop
    beforeAll(async () => {
      shop = await serveShop({ limits, topics: [uniqueTopic()], ...(queueUrl !== undefined && { queueUrl }) })
    })
    afterAll(() => shop[Symbol.asyncDispose]())

    test('in pages and lines has what a reader of everything would keep, and counts what is left out', async () => {
      await fc.assert(
        fc.asyncProperty(reading, async ({ partitions, before, filter, limit }) => {
          const { topic } = await open(shop, partitions, before)
          for (const order of ['asc', 'desc'] as const)
            for (const view of ['log', 'canonical'] as const) {
              const wanted = namesOf((await readAll(shop, topic, { order, view })).filter(filter.accepts))
              const selected = { order, view, filter: filter.text }
              const lines = await readAll(shop, topic, selected)
              createSkipCheck(order).take(lines)
              expect(namesOf(lines)).toEqual(wanted)
              const check = createSkipCheck(order)
              const paged: RecordJson[] = []
              for (let cursor: Record<string, string> = {}; ; ) {
                const page = await shop.json<PageJson>(path(topic, { ...selected, limit: `${limit}`, ...cursor }))
                check.take(page.data)
                check.cover(page.nextSeqs!)
                check.begin(page.nextSeqs!)
                paged.push(...page.data)
                if (!page.hasMore) break
                cursor = { cursor: page.nextCursor }
              }
              expect(namesOf(paged)).toEqual(wanted)
            }
        }),
        { ...run, numRuns: runs },
      )
    })

    test('in a stream that is cut at any place leaves no gap, by record and by progress', async () => {
      await fc.assert(
        fc.asyncProperty(reading, async ({ partitions, before, during, filter, cuts }) => {
          const chain = await open(shop, partitions, before)
          const { topic } = chain
          const check = createSkipCheck()
          const streamed: RecordJson[] = []
          let from = 'earliest'
          const later = [...during]
          for (let done = false; !done; ) {
            using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
            const answer = await client.call('subscribe', { topics: [topic], from, filter: filter.text })
            check.begin((answer.result!.topics[0] as { nextSeqs?: (string | null)[] }).nextSeqs!)
            // A progress is sent after silence, so when it comes, the reader is at the end.
            await client.notifications('progress', 1)
            const units = later.shift()
            if (units) {
              await chain.publish(...units)
              await client.notifications('progress', 2)
            }
            const cut = cuts.next().value
            const received = client.messages.filter(({ method }) => method !== undefined)
            const kept = cut === 0 ? received : received.slice(0, cut)
            for (const { method, params } of kept) {
              if (method === 'subscription') {
                const record = params as RecordJson
                check.take([record])
                streamed.push(record)
                from = record.cursor
              } else {
                const { cursors, nextSeqs } = params as ProgressJson
                check.cover(nextSeqs![topic]!)
                from = cursors[topic]!
              }
            }
            const end = chain.head()
            const place = await shop.json<PageJson>(
              path(topic, {
                order: 'asc',
                view: 'log',
                filter: 'false',
                ...(from === 'earliest' ? {} : { cursor: from }),
              }),
            )
            done = later.length === 0 && cut === 0 && place.nextSeqs!.every((seq, n) => Number(seq ?? 0) >= end[n]!)
          }
          const wanted = (await readAll(shop, topic, { order: 'asc', view: 'log' })).filter(filter.accepts)
          expect(namesOf(streamed).sort()).toEqual(namesOf(wanted).sort())
        }),
        { ...run, numRuns: Math.ceil(runs / 3) },
      )
    })
  })
}

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop({ limits, topics: [orders, returns] })
})
afterAll(() => shop[Symbol.asyncDispose]())

test('an event stream with a filter continues from the id of a progress', async () => {
  await shop.publish(orders, 30)
  const url = `${shop.url}/sse/v1?topics=${orders}&from=earliest&api_key=${shop.key}&fields=number&filter=`
  using stream = await openEvents(`${url}${encodeURIComponent('value.number in [3, 28]')}`)
  const records = await stream.take<RecordJson>('message', 2)
  expect(records.map(({ data }) => [data.seq, data.skipped])).toEqual([
    ['3', 3],
    ['28', 24],
  ])
  expect(records.map(({ data }) => data.value)).toEqual([{ number: '3' }, { number: '28' }])
  const [progress] = await stream.take<ProgressJson>('progress', 1)
  expect(progress!.data.nextSeqs).toEqual({ [orders]: ['30'] })
  await shop.publish(orders, 2)
  using resumed = await openEvents(`${url}true`, { 'last-event-id': progress!.id! })
  const [next] = await resumed.take<RecordJson>('message', 1)
  expect(next!.data).toMatchObject({ seq: '30', skipped: 0 })
})

test('a subscription to several topics has a filter and fields for each', async () => {
  await shop.publish(orders, 3)
  await shop.publish(returns, 3)
  using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  const { result } = await client.call('subscribe', {
    ...{ topics: [orders, returns], from: 'last:3' },
    ...{ filter: { [returns]: 'value.number == 1' }, fields: { [returns]: ['note'] } },
  })
  const [ofOrders, ofReturns] = result!.topics
  expect(ofOrders).not.toHaveProperty('nextSeqs')
  expect(ofReturns).toMatchObject({ nextSeqs: [expect.any(String)] })
  const records = await client.notifications('subscription', 4)
  const [returned] = records.filter(({ topic }) => topic === returns)
  expect(returned).toMatchObject({ value: { note: '' } })
  expect(returned!.value).not.toHaveProperty('number')
  expect(records.filter(({ topic }) => topic === orders)[0]!.value).toHaveProperty('number')
})

test('an invalid filter and unknown fields are refused with what is allowed', async () => {
  const refusal = async (query: Record<string, string>) => {
    const response = await shop.get(path(orders, query))
    return { status: response.status, ...((await response.json()) as object) }
  }
  expect(await refusal({ filter: 'value.nubmer == 1' })).toMatchObject({
    ...{ status: 400, code: 'invalid_filter', parameter: 'filter', column: 7 },
    detail: expect.stringContaining('number'),
  })
  expect(await refusal({ fields: 'number,nots' })).toMatchObject({
    ...{ status: 400, code: 'invalid_parameter', parameter: 'fields' },
    detail: expect.stringContaining('note'),
  })
  using client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  const subscribe = async (params: object) => (await client.call('subscribe', { topics: [orders], ...params })).error
  expect(await subscribe({ filter: 'value.number =' })).toMatchObject({
    code: -32602,
    data: { code: 'invalid_filter' },
  })
  expect(await subscribe({ fields: ['x'] })).toMatchObject({ code: -32602, data: { code: 'invalid_parameter' } })
  expect(await subscribe({ filter: { [returns]: 'true' } })).toMatchObject({ data: { code: 'invalid_parameter' } })
})

test('readers of one filter share records, and each gets the number that it has skipped itself', async () => {
  const subscribe = async (from: string) => {
    const client = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
    const { result } = await client.call('subscribe', { topics: [returns], from, filter: 'value.note == "shared"' })
    return { client, start: (result!.topics[0] as { nextSeqs?: (string | null)[] }).nextSeqs![0]! }
  }
  const early = await subscribe('latest')
  await shop.publish(returns, 4)
  const late = await subscribe('latest')
  const twin = await subscribe('latest')
  await shop.publish(returns, 5, (number) => ({ note: number === Number(late.start) + 3 ? 'shared' : 'other' }))
  const skipped = await Promise.all(
    [early, late, twin].map(async ({ client }) => (await client.notifications('subscription', 1))[0]!.skipped),
  )
  expect(skipped).toEqual([7, 3, 3])
  for (const { client } of [early, late, twin]) client[Symbol.dispose]()
})
