import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createSystemTopics } from '@headrace/catalog'
import { type CollectedMetrics, createRegistry, type MetricsServer } from '@headrace/queue/metrics'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { generateKey } from './access/keys/key-format.ts'
import { createApi } from './api.ts'
import { trackConnections } from './connection/drain.ts'
import { loadPage } from './explorer/load-page.ts'
import { createGatewayMeter } from './metrics/gateway-meter.ts'
import { gatewayMetrics } from './metrics/gateway-metrics.ts'
import { createQueueMeasure, type QueueState } from './metrics/measure-queue.ts'
import { serveGatewayMetrics } from './metrics/serve-gateway-metrics.ts'
import { completeOptions, type GatewayOptions } from './options/gateway-options.ts'
import type { ReadLocalPage } from './rest/local-pages.ts'
import { createUsageMeter } from './usage/usage-meter.ts'
import { writeUsage } from './usage/write-usage.ts'

export interface Gateway {
  readonly url: string
  /** An API key for every topic, that only this gateway accepts, while it runs. It is not stored. */
  readonly key: string
  metrics(): Promise<CollectedMetrics>
  /** For a client in the same process: its option `readPage`. */
  readonly readPage: ReadLocalPage
  /** Open WebSocket and SSE connections. */
  connections(): number
  /**
   * Stops accepting connections, ends every stream with its last cursors, and completes open requests. Resolves when
   * every connection is closed and usage is written, each within `limits.drainMs`. The queue stays open. May be called
   * twice.
   */
  close(): Promise<void>
}

/**
 * Starts a gateway. It has no state of its own: any number may run on one queue. Resolves when it listens and has read
 * every key and topic.
 *
 * @throws {QueueUnavailableError} the queue cannot be reached.
 * @throws {UserError} `invalid_gateway_options`; `listen_failed`, for the metrics.
 * @throws `EADDRINUSE` and the like from the operating system.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const complete = completeOptions(options)
  const { queue, host, port, metrics: metricsAddress, number, explorer, limits, log } = complete
  const page = explorer === undefined ? undefined : await loadPage(explorer)
  const stop = new AbortController()
  const [meter, usage] = [createGatewayMeter(), createUsageMeter()]
  const id = randomBytes(8).toString('hex')
  let draining = false
  let metricsServer: MetricsServer | undefined
  try {
    await createSystemTopics(queue)
    const key = generateKey(complete.environment)
    const parts = { id, key, meter, usage, page, signal: stop.signal, isDraining: () => draining }
    const { app, streams, feeds, readPage } = await createApi({ ...complete, ...parts })
    let registry: Registry | undefined
    const measureQueue = createQueueMeasure(queue, feeds)
    let queueState: QueueState
    const metrics = async () => {
      queueState = await measureQueue()
      usage.settle()
      registry ??= createRegistry({
        families: [...gatewayMetrics({ ...parts, limits, queueState: () => queueState }), ...queue.metrics()],
        histograms: [meter.requests],
        labels: { gateway: `${number}` },
      })
      return registry.getMetricsAsJSON()
    }
    metricsServer = metricsAddress && (await serveGatewayMetrics(metricsAddress, async () => [await metrics()]))
    const drain = trackConnections(app, streams, limits)
    await app.listen({ host, port })
    if (metricsServer) log.info({ url: metricsServer.url }, 'metrics served')
    const stopWritingUsage = writeUsage({ queue, usage, limits, log, gateway: id })

    let closing: Promise<void> | undefined
    const close = async () => {
      draining = true
      await drain()
      await stopWritingUsage()
      await metricsServer?.close()
      stop.abort()
    }
    const connections = () => [...usage.streams()].length
    return { url: urlOf(app), key, metrics, readPage, connections, close: () => (closing ??= close()) }
  } catch (error) {
    stop.abort()
    await metricsServer?.close()
    throw error
  }
}

function urlOf({ server }: FastifyInstance): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
