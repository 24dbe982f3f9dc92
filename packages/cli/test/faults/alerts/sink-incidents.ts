import { setTimeout as delay } from 'node:timers/promises'
import { whileWaiting } from './gateway-incidents.ts'
import { instanceOf, type Monitor } from './monitor.ts'
import type { Processes } from './processes.ts'
import { orders, type ShopQueue } from './shop-queue.ts'

export interface SinkIncidentOptions {
  readonly monitor: Monitor
  readonly processes: Processes
  readonly shop: ShopQueue
}

/** A destination that does not answer, while its topic grows. */
export async function stallSink(options: SinkIncidentOptions, port: number): Promise<void> {
  const { monitor, shop } = options
  startSink(options, 'stalled', port)
  const fired = Promise.all(['SinkStalled', 'SinkFallsBehind'].map((alert) => monitor.fired(alert, instanceOf(port))))
  let batches = 0
  await whileWaiting(fired, async () => {
    await shop.publish(orders, batches++ < 12 ? 1000 : 100)
    await delay(200)
  })
}

/** A destination that refuses every second batch. */
export async function failSink(options: SinkIncidentOptions, port: number): Promise<void> {
  startSink(options, 'failing', port)
  await options.monitor.fired('SinkRetries', instanceOf(port))
}

/** A sink that is killed, and whose supervisor starts it again until it gives up. */
export async function restartSink(options: SinkIncidentOptions, port: number): Promise<void> {
  const { monitor, processes } = options
  const instance = instanceOf(port)
  const start = () => startSink(options, 'healthy', port)
  await processes.restartUntil(monitor.fired('SinkRestarts', instance), start, () => monitor.restarted(instance))
  await monitor.fires('SinkDown', instance)
}

function startSink({ processes, shop }: SinkIncidentOptions, incident: string, port: number) {
  const module = `${import.meta.dirname}/${incident}-sink.js`
  return processes.start(['sink', module, '--topic', orders, '--queue', shop.url, '--metrics-port', `${port}`])
}
