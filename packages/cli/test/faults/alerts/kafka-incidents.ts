import { setTimeout as delay } from 'node:timers/promises'
import { openQueue } from '@headrace/queue'
import { createKey } from '@headrace/server'
import { apiKeys } from '../../../../queue/test/faults/proxied-kafka.ts'
import { startGatewayProcess } from '../../../../server/test/programs/gateway-process.ts'
import { openShop } from '../../../../server/test/shop/shop.ts'
import type { KafkaProxy } from '../../../../testbed/kafka/proxy.ts'
import { openStream, whileWaiting } from './gateway-incidents.ts'
import { instanceOf, type Monitor } from './monitor.ts'
import { orders } from './shop-queue.ts'

export interface KafkaIncidentOptions {
  readonly monitor: Monitor
  readonly proxy: KafkaProxy
}

/** A gateway whose broker gives no records, and then cannot be reached. */
export async function loseKafka(options: KafkaIncidentOptions, metricsPort: number): Promise<void> {
  const { monitor, proxy } = options
  const url = `kafka://127.0.0.1:${proxy.port}`
  const instance = instanceOf(metricsPort)
  await using resources = new AsyncDisposableStack()
  const queue = resources.adopt(await openQueue(url), (queue) => queue.close())
  const shop = await openShop(queue, [orders])
  const { key } = await createKey(queue, { name: 'test', environment: 'development' })
  // It gives up sooner than by default.
  const gateway = resources.use(await startGatewayProcess({ queueUrl: url, metricsPort, kafka: { budgetMs: 3000 } }))
  await monitor.scraped(instance)
  const stream = await openStream(Number(new URL(gateway.url).port), `/sse/v1?topics=${orders}&api_key=${key}`)
  stream.resume()

  const held = Array.from({ length: 50 }, () => proxy.inject({ apiKey: apiKeys.fetch, what: 'answer', how: 'hold' }))
  for (let batch = 0; batch < 12; batch++) await shop.publish(orders, 1000)
  await monitor.fired('GatewayBehind', instance)
  await Promise.all(held.map((each) => Promise.race([each.release(), delay(0)])))
  await monitor.resolved('GatewayBehind', instance)

  const { brokerPort } = proxy
  proxy.brokerPort = 1
  proxy.cutAll()
  const alerts = ['GatewayQueueUnavailable', 'GatewayFails', 'GatewaySlow']
  const fired = Promise.all(alerts.map((alert) => monitor.fired(alert)))
  const requests: Promise<string>[] = []
  await whileWaiting(fired, async () => {
    // Each is answered after some time, and others are sent concurrently.
    const path = `/api/v1/data/${orders}?from=last:${requests.length + 1}&limit=1&api_key=${key}`
    requests.push(fetch(`${gateway.url}${path}`).then((response) => response.text()))
    requests.at(-1)!.catch(() => {})
    await delay(200)
  })
  proxy.brokerPort = brokerPort
  await Promise.all(requests)
  await monitor.resolved('GatewayQueueUnavailable', instance)
  stream.destroy()
}
