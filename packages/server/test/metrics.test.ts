import { expect, test } from 'vitest'
import { openEvents } from './clients/event-stream.ts'
import { connect, refusedUpgrade } from './clients/json-rpc-client.ts'
import { orders, serveShop } from './shop/served-shop.ts'

/** The values of a gateway's metrics, by their names and labels without the prefix. */
async function readMetrics(url: string): Promise<Readonly<Record<string, number>>> {
  const response = await fetch(`${url}/metrics`)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^(?:headrace_gateway_)?(\S+) (\S+)$/.exec(line)!
      return [name!.replace(',gateway="1"', '').replace('{gateway="1"}', ''), Number(value)]
    }),
  )
}

test('a gateway serves its metrics at its own port', async () => {
  await using shop = await serveShop()
  await shop.publish(orders, 20)
  const gateway = await shop.startAnother({ metrics: { port: 0 } })
  const { url } = (await shop.logs('metrics served')) as { url: string }
  const get = (path: string) => fetch(gateway.url + path, { headers: { authorization: `Bearer ${shop.key}` } })
  const path = `/api/v1/data/${orders}?limit=10`
  for (let n = 0; n < 3; n++) await (await get(path)).text()
  await (await get(`/api/v1/data/${orders}?limit=none`)).text()
  await (await get('/no/such/path')).text()
  await refusedUpgrade(`${gateway.url}/ws/v1`)
  using client = await connect(`${gateway.url}/ws/v1?api_key=${shop.key}`)
  await client.call('subscribe', { topics: [orders], from: 'earliest' })
  await client.notifications('subscription', 20)
  using stream = await openEvents(`${gateway.url}/sse/v1?topics=${orders}&from=last:5&api_key=${shop.key}`)
  await stream.take('message', 5)

  const metrics = await readMetrics(url)
  expect(metrics).toMatchObject({
    'request_duration_seconds_count{route="/api/v1/data/:topic",status="200"}': 3,
    'request_duration_seconds_count{route="/api/v1/data/:topic",status="400"}': 1,
    'request_duration_seconds_count{route="none",status="404"}': 1,
    'request_duration_seconds_count{route="/ws/v1",status="101"}': 1,
    'request_duration_seconds_count{route="/ws/v1",status="401"}': 1,
    'connections{protocol="websocket"}': 1,
    'connections{protocol="sse"}': 1,
    'records_sent_total{protocol="rest"}': 30,
    'records_sent_total{protocol="websocket"}': 20,
    'records_sent_total{protocol="sse"}': 5,
    'cache_lookups_total{cache="pages",result="hit"}': 2,
    'cache_lookups_total{cache="pages",result="miss"}': 1,
    [`feed_lag_offsets{topic="${orders}"}`]: 0,
    unsent_bytes: 0,
    draining: 0,
    queue_up: 1,
    max_connections: 10_000,
  })
  for (const protocol of ['rest', 'websocket', 'sse'])
    expect(metrics[`bytes_sent_total{protocol="${protocol}"}`]).toBeGreaterThan(1000)
  expect(metrics['cache_bytes{cache="pages"}']).toBeGreaterThan(500)
  expect(metrics['cache_lookups_total{cache="history",result="hit"}']).toBeGreaterThan(0)
  expect(metrics.process_resident_memory_bytes).toBeGreaterThan(10 << 20)

  await gateway.close()
  await expect(fetch(`${url}/metrics`)).rejects.toThrow()
})

test('metrics count ended streams by reason, and the number of series does not grow with paths, keys and topics', async () => {
  await using shop = await serveShop({ limits: { maxAgeMs: 300 } })
  using aged = await connect(`${shop.url}/ws/v1?api_key=${shop.key}`)
  await aged.closed
  const { key, id } = await shop.addKey()
  using revoked = await connect(`${shop.url}/ws/v1?api_key=${key}`)
  await shop.revokeKey(id)
  await revoked.closed
  const seriesOf = async () =>
    (await shop.gateway.metrics())
      .filter(({ name }) => name.startsWith('headrace_'))
      .flatMap(({ name, values }) => values.map(({ labels }) => JSON.stringify([name, labels])))
  const ask = async (n: number) => {
    for (const path of [
      `/x${n}`,
      `/api/v1/data/a.topic_${n}`,
      `/api/v1/topics/b${n}`,
      `/sse/v1?topics=c${n}`,
      `/ws/${n}`,
    ])
      await (await shop.get(path)).text()
  }
  await ask(0)
  const series = await seriesOf()
  for (let n = 1; n < 20; n++) await ask(n)
  expect(await seriesOf()).toEqual(series)
  expect(series.join('')).not.toContain(shop.keyId)
  const ended = (await shop.gateway.metrics()).find(({ name }) => name === 'headrace_gateway_streams_ended_total')!
  const counts = Object.fromEntries(ended.values.map(({ labels, value }) => [labels.reason, value]))
  expect(counts).toMatchObject({ max_age: 1, key_revoked: 1, slow_consumer: 0 })
})

test('metrics are served while the queue is unavailable, without those of the queue', async () => {
  await using shop = await serveShop()
  let isUnavailable = false
  const returned = Promise.withResolvers<void>()
  const describe: typeof shop.queue.describe = async (topics) => {
    if (isUnavailable) await returned.promise
    return shop.queue.describe(topics)
  }
  const gateway = await shop.startAnother({ queue: { ...shop.queue, describe } })
  using client = await connect(`${gateway.url}/ws/v1?api_key=${shop.key}`)
  await client.call('subscribe', { topics: [orders] })
  const valuesOf = async (name: string) =>
    (await gateway.metrics()).find((metric) => metric.name === `headrace_gateway_${name}`)!.values
  expect(await valuesOf('feed_lag_offsets')).toHaveLength(1)
  expect(await valuesOf('queue_up')).toMatchObject([{ value: 1 }])
  isUnavailable = true
  expect(await valuesOf('queue_up'), 'before the deadline').toMatchObject([{ value: 1 }])
  await expect.poll(() => valuesOf('queue_up')).toMatchObject([{ value: 0 }])
  expect(await valuesOf('feed_lag_offsets')).toEqual([])
  isUnavailable = false
  returned.resolve()
  await expect.poll(() => valuesOf('queue_up')).toMatchObject([{ value: 1 }])
  expect(await valuesOf('feed_lag_offsets')).toHaveLength(1)
  await gateway.close()
})
