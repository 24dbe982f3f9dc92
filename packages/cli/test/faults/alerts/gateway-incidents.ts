import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createKey } from '@headrace/server'
import { startGatewayProcess } from '../../../../server/test/programs/gateway-process.ts'
import { freePorts } from '../../../../testbed/kafka/free-ports.ts'
import { instanceOf, type Monitor } from './monitor.ts'
import type { Processes } from './processes.ts'
import { orders, returns, type ShopQueue } from './shop-queue.ts'

export interface GatewayIncidentOptions {
  readonly monitor: Monitor
  readonly processes: Processes
  readonly shop: ShopQueue
}

/** Requests without a key, and a stream whose quota is used up. */
export async function exceedLimits(options: GatewayIncidentOptions, metricsPort: number): Promise<void> {
  const { monitor, processes, shop } = options
  const [port] = await freePorts(1)
  const args = ['serve', '--queue', shop.url, '--port', `${port}`, '--metrics-port', `${metricsPort}`]
  processes.start(args)
  const { key } = await createKey(shop.queue, { name: 'quota', environment: 'development', quota: { records: 5 } })
  await shop.publish(orders, 10)
  await monitor.scraped(instanceOf(metricsPort))
  const url = `http://127.0.0.1:${port}`
  const stream = await openStream(port!, `/sse/v1?topics=${orders}&from=earliest&api_key=${key}`)
  const fired = Promise.all(['GatewayRefusesRequests', 'GatewayLimitsEndStreams'].map((alert) => monitor.fired(alert)))
  await whileWaiting(fired, async () => {
    await (await fetch(`${url}/api/v1/topics`)).text()
    await delay(100)
  })
  stream.destroy()
}

/** A gateway that is killed, and whose supervisor starts it again until it gives up. */
export async function restartGateway(options: GatewayIncidentOptions, metricsPort: number): Promise<void> {
  const { monitor, processes, shop } = options
  const instance = instanceOf(metricsPort)
  const start = () => processes.start(['serve', '--queue', shop.url, '--port', '0', '--metrics-port', `${metricsPort}`])
  await processes.restartUntil(monitor.fired('GatewayRestarts', instance), start, () => monitor.restarted(instance))
  await monitor.fires('GatewayDown', instance)
}

/**
 * Clients that read nothing, then as many as the gateway allows, and a request that is not complete while it ends.
 * `connector serve` has no options for these limits, so that thousands of clients would be needed.
 */
export async function overload(options: GatewayIncidentOptions, metricsPort: number): Promise<void> {
  const { monitor, shop } = options
  const limits = { connections: 12, stallMs: 1000, drainMs: longMs, headersMs: longMs, requestMs: longMs }
  await using gateway = await startGatewayProcess({ queueUrl: shop.url, limits, metricsPort })
  const port = Number(new URL(gateway.url).port)
  const instance = instanceOf(metricsPort)
  const { key } = await createKey(shop.queue, { name: 'streams', environment: 'development', connections: 100 })
  await monitor.scraped(instance)
  const open = (topic: string) => openStream(port, `/sse/v1?topics=${topic}&from=earliest&api_key=${key}`)
  const stalled = await Promise.all(Array.from({ length: limits.connections }, () => open(returns)))
  await monitor.fired('GatewayClosesSlowConsumers', instance)
  for (const socket of stalled) socket.destroy()

  const idle = await Promise.all(
    Array.from({ length: limits.connections - 1 }, async () => (await open(orders)).resume()),
  )
  await monitor.fired('GatewayFull', instance)
  for (const socket of idle) socket.destroy()

  const last = connectSocket(port, '127.0.0.1').on('error', () => {})
  last.write('GET /api/v1/topics HTTP/1.1\r\nhost: ')
  await delay(500)
  const stopped = gateway.stop()
  await monitor.fired('GatewayDraining', instance)
  last.destroy()
  await stopped
}

/** Longer than any test. */
const longMs = 3_600_000

/** An event stream that is not read until `resume`. */
export async function openStream(port: number, path: string): Promise<Socket> {
  for (;;) {
    const socket = connectSocket(port, '127.0.0.1').on('error', () => {})
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    await once(socket, 'readable')
    // A gateway learns of a new key within moments.
    const head = `${socket.read(12)}`
    if (head === 'HTTP/1.1 200') return socket
    socket.destroy()
    await delay(200)
  }
}

/** Repeats an action until a promise is settled. */
export async function whileWaiting(waiting: Promise<unknown>, act: () => Promise<void>): Promise<void> {
  let isOver = false
  void waiting.then(
    () => (isOver = true),
    () => (isOver = true),
  )
  while (!isOver) await act()
  await waiting
}
