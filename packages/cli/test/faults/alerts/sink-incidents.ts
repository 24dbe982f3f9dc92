import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startReceiver } from '../../../../sink/test/webhook/receiver.ts'
import { instanceOf, type Monitor } from './monitor.ts'
import type { Processes } from './processes.ts'
import { orders, type ShopQueue } from './shop-queue.ts'

export interface SinkIncidentOptions {
  readonly monitor: Monitor
  readonly processes: Processes
  readonly shop: ShopQueue
}

/** A webhook that does not answer, while its topic grows. */
export async function stallSink(options: SinkIncidentOptions, port: number): Promise<void> {
  await using sink = await startSink(options, { port, react: () => 'no answer' })
  const { monitor, shop } = options
  const fired = Promise.all(['SinkStalled', 'SinkFallsBehind'].map((alert) => monitor.fired(alert, sink.instance)))
  let isDone = false
  void fired.finally(() => (isDone = true)).catch(() => {})
  for (let batch = 0; !isDone; batch++) {
    await shop.publish(orders, batch < 12 ? 1000 : 100)
    await delay(200)
  }
  await fired
}

/** A webhook that refuses every second request. */
export async function failSink(options: SinkIncidentOptions, port: number): Promise<void> {
  let requests = 0
  await using sink = await startSink(options, { port, react: () => (requests++ % 2 === 0 ? 200 : 500) })
  await options.monitor.fired('SinkRetries', sink.instance)
}

/** A sink that is killed, and whose supervisor starts it again until it gives up. */
export async function restartSink(options: SinkIncidentOptions, port: number): Promise<void> {
  await using sink = await startSink(options, { port, react: () => 200, restarts: true })
  await options.monitor.fired('SinkDown', sink.instance)
}

interface SinkOptions {
  readonly port: number
  readonly react: () => number | 'no answer'
  /** Kills and starts it again, until the alert fires. */
  readonly restarts?: boolean
}

async function startSink({ monitor, processes, shop }: SinkIncidentOptions, { port, react, restarts }: SinkOptions) {
  const resources = new AsyncDisposableStack()
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const receiver = resources.use(await startReceiver({ secret, react }))
  const state = await mkdtemp(join(tmpdir(), 'headrace-webhook-'))
  resources.defer(() => rm(state, { recursive: true }))
  const args = ['sink', `webhook:${receiver.url}`, '--topic', orders, '--queue', shop.url, '--state', state]
  const start = () => processes.start([...args, '--metrics-port', `${port}`], { HEADRACE_WEBHOOK_SECRET: secret })
  const instance = instanceOf(port)
  if (restarts) {
    const fired = monitor.fired('SinkRestarts', instance)
    await processes.restartUntil(fired, start, () => monitor.restarted(instance))
  } else {
    const { child, ended } = start()
    resources.defer(async () => {
      child.kill('SIGKILL')
      await ended
    })
  }
  return { instance, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
