import { createClient } from '@headrace/client'
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import { openLine } from '../../server/test/clients/line.ts'
import { orders, type ServedShop, serveShop } from '../../server/test/shop/served-shop.ts'
import { all, take } from './reading.ts'

interface Order {
  readonly number: string
  readonly note: string
}

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop({ limits: { heartbeatMs: 100, examinedRecords: 50 }, topics: [orders] })
})
afterAll(() => shop[Symbol.asyncDispose]())

const isChosen = (number: number) => number % 100 < 3
const options = { filter: 'value.note == "chosen"', fields: ['number'] } as const

let published = 0
async function publish(count: number): Promise<void> {
  const first = published
  published += count
  await shop.publish(orders, count, (number) => ({ note: isChosen(number) ? 'chosen' : 'x'.repeat(200) }))
  expect(published).toBe(first + count)
}

const chosenBefore = (end: number) => Array.from({ length: end }, (_, number) => number).filter(isChosen)

test.each(['websocket', 'sse'] as const)(
  'over %s, a reader with a filter that is cut ten times misses nothing',
  async (transport) => {
    await using line = await openLine(Number(new URL(shop.url).port))
    // Small, so that a WebSocket is also paused.
    const client = createClient<{ [orders]: Order }>({ url: line.url, apiKey: shop.key, transport, bufferSize: 300 })
    const numbers: number[] = []
    let cuts = 0
    await publish(1000)
    for await (const { records } of client.follow({ topics: [orders], ...options })) {
      for (const { value, skipped } of records) {
        expect(Object.keys(value!)).toEqual(['number'])
        expect(skipped).toEqual(expect.any(Number))
        numbers.push(Number(value!.number))
      }
      if (cuts < 10) {
        // Also directly after a progress, which moves the reader over what is left out.
        if (cuts++ % 2 === 0) await publish(90)
        line.cut()
      } else if (numbers.length >= chosenBefore(published).length) break
    }
    expect(numbers).toEqual(chosenBefore(published))
  },
)

test.each(['websocket', 'sse'] as const)(
  'over %s, a reader with a filter continues after silence',
  async (transport) => {
    const client = createClient<{ [orders]: Order }>({ url: shop.url, apiKey: shop.key, transport })
    const numbers: number[] = []
    const from = published
    let silences = 0
    for await (const { records } of client.subscribe({ topics: [orders], ...options })) {
      for (const { value } of records) numbers.push(Number(value!.number))
      if (silences === 3) break
      // A progress comes after silence, when there was something to leave out.
      if (silences++ < 3) await publish(100)
    }
    expect(numbers).toEqual(
      chosenBefore(published)
        .filter((number) => number >= from)
        .slice(0, numbers.length),
    )
    expect(numbers.length).toBeGreaterThan(2)
  },
)

test('history with a filter has its records in pages, some of which may be empty', async () => {
  const client = createClient<{ [orders]: Order }>({ url: shop.url, apiKey: shop.key })
  const pages = await all(client.history({ topic: orders, view: 'log', ...options }))
  expect(pages.some(({ records }) => records.length === 0)).toBe(true)
  expect(pages.flatMap(({ records }) => records).map(({ value }) => Number(value!.number))).toEqual(
    chosenBefore(published),
  )
})

test('the type of a value has the chosen fields only', async () => {
  const client = createClient<{ [orders]: Order }>({ url: shop.url, apiKey: shop.key })
  const [chosen] = await take(client.subscribe({ topics: [orders], from: 'earliest', fields: ['number'] }), 1)
  expectTypeOf(chosen!.records[0]!.value!).toEqualTypeOf<Pick<Order, 'number'>>()
  const [forTopic] = await take(
    client.subscribe({ topics: [orders], from: 'earliest', fields: { [orders]: ['note'] } }),
    1,
  )
  expectTypeOf(forTopic!.records[0]!.value!).toEqualTypeOf<Pick<Order, 'note'>>()
  const [whole] = await take(client.history({ topic: orders }), 1)
  expectTypeOf(whole!.records[0]!.value!).toEqualTypeOf<Order>()
  // @ts-expect-error: there is no such field.
  expect(() => client.history({ topic: orders, fields: ['nubmer'] })).not.toThrow()
})
