import { describe, expect, inject, test } from 'vitest'
import { type ServedShop, serveShop } from './shop/served-shop.ts'
import { uniqueTopic } from './shop/unique-topic.ts'

const kafka = inject('kafka')

interface RateJson {
  readonly perSecond: number
  readonly seconds: number
}

interface TopicJson {
  readonly topic: string
  readonly instance: string
  readonly records: number | null
  readonly newest: { readonly time: string; readonly unit: string | null } | null
  readonly rate: RateJson & { readonly records: readonly number[] }
}

interface ConnectorJson {
  readonly instance: string
  readonly topics: readonly string[]
  readonly unit: string | null
  readonly rate: RateJson & { readonly units: readonly number[] }
}

const topicOf = (shop: ServedShop, topic: string) => shop.json<TopicJson>(`/api/v1/topics/${topic}`)

const connectorOf = async (shop: ServedShop, topic: string) => {
  const { connectors } = await shop.json<{ connectors: ConnectorJson[] }>('/api/v1/connectors')
  return connectors.find(({ topics }) => topics.includes(topic))
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

const engines = [
  ['the embedded engine', undefined],
  ['Kafka', kafka === null ? null : `kafka://${kafka}`],
] as const

describe.each(engines.filter(([, queueUrl]) => queueUrl !== null))('on %s', (_, queueUrl) => {
  const serve = (...topics: string[]) => serveShop({ ...(queueUrl && { queueUrl }), topics, limits: { rateMs: 20 } })

  test('the rates of a topic and of its connector add up to what was published', async () => {
    const orders = uniqueTopic()
    await using shop = await serve(orders)
    expect(await topicOf(shop, orders)).toMatchObject({ instance: 'main', records: 0, newest: null })
    expect(await connectorOf(shop, orders)).toMatchObject({ unit: null, lastCommit: null, final: null, position: null })
    await expect.poll(async () => (await connectorOf(shop, orders))?.rate.units.length).toBeGreaterThan(0)
    for (let n = 0; n < 5; n++) await shop.publish(orders, 10)
    await expect.poll(async () => sum((await topicOf(shop, orders)).rate.records)).toBe(50)
    await expect.poll(async () => sum((await connectorOf(shop, orders))!.rate.units)).toBe(5)
    expect(await topicOf(shop, orders)).toMatchObject({
      records: 50,
      newest: { time: '2026-08-21T10:00:49.000Z', unit: '5' },
      rate: { seconds: 0.02 },
    })
    expect(await connectorOf(shop, orders)).toMatchObject({
      unit: '5',
      position: 5,
      final: { unit: '4' },
      source: null,
    })
  })
})
