import type { AddressInfo } from 'node:net'
import { createSystemTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { type CollectedMetrics, collectMetrics, type MetricsAddress, type MetricsServer } from '@headrace/queue/metrics'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Environment } from './access/keys/key-format.ts'
import { createApi } from './api.ts'
import { measureFeedLag } from './metrics/feed-lag.ts'
import { createGatewayMeter } from './metrics/gateway-meter.ts'
import { gatewayMetrics } from './metrics/gateway-metrics.ts'
import { serveGatewayMetrics } from './metrics/serve-gateway-metrics.ts'
import { completeOptions } from './operations/complete-options.ts'
import { drain, limitSockets, trackConnections } from './operations/drain.ts'
import type { Limits } from './operations/limits.ts'
import { createUsageMeter } from './usage/usage-meter.ts'
import { writeUsage } from './usage/write-usage.ts'

export interface GatewayOptions {
  readonly queue: Queue
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string
  /** Port to listen on; 0 takes a free one. Default 8080. */
  readonly port?: number
  /** Whose keys it takes: `hr_live_…` for `production`, `hr_test_…` for `development`, which is the default. */
  readonly environment?: Environment
  /** Where to serve its metrics. Default: nowhere. */
  readonly metrics?: MetricsAddress
  /** How many gateways are reached at one address: each gives its part of a key's limits. Default 1. */
  readonly gateways?: number
  /** Which of them this is, from 1: the label `gateway` of its metrics. Default 1. */
  readonly number?: number
  /** Limits that are to be others than `docs/reference/limits.md` says. */
  readonly limits?: Partial<Limits>
  readonly log: Logger
}

/** A running gateway. */
export interface Gateway {
  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  readonly url: string
  /** Its metrics of this moment, for whoever serves those of several gateways together. */
  metrics(): Promise<CollectedMetrics>
  /**
   * Stops accepting, tells every stream where it stands and ends it, and lets requests under way finish. Resolves when
   * no connection is left and what keys have used is written, after a few seconds at most (`limits.drainMs` for each of
   * the two). The queue stays open. May be called twice.
   */
  close(): Promise<void>
}

/**
 * Starts a gateway: history over REST, live data over WebSocket and SSE.
 *
 * It keeps no state of its own: any number of them may run over one queue, and one may be killed at any time. Resolves
 * once it listens and knows every key and topic there is.
 *
 * @throws {QueueUnavailableError} the queue cannot be reached.
 * @throws {UserError} `invalid_gateway_options`; `listen_failed`: of the metrics.
 * @throws `EADDRINUSE` and the like from the operating system.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const {
    queue,
    host,
    port,
    environment,
    metrics: metricsAddress,
    gateways,
    number,
    limits,
    log,
  } = completeOptions(options)
  const stop = new AbortController()
  const [meter, usage] = [createGatewayMeter(), createUsageMeter()]
  let draining = false
  let metricsServer: MetricsServer | undefined
  try {
    await createSystemTopics(queue)
    const { app, streams, feeds } = await createApi({
      ...{ queue, environment, gateways, limits, meter, usage, log },
      signal: stop.signal,
      isDraining: () => draining,
    })
    const metrics = async () => {
      const feedLag = await measureFeedLag(queue, feeds)
      usage.settle()
      return collectMetrics(gatewayMetrics({ meter, usage, number, feedLag, queue: queue.metrics() }))
    }
    metricsServer = metricsAddress && (await serveGatewayMetrics(metricsAddress, metrics))
    const connections = trackConnections(app.server)
    limitSockets(app.server, limits.sockets)
    await app.listen({ host, port })
    if (metricsServer) log.info({ url: metricsServer.url }, 'metrics served')
    const usageWriter = writeUsage({ queue, meter: usage, intervalMs: limits.usageMs, stopMs: limits.drainMs, log })

    let closing: Promise<void> | undefined
    const close = async () => {
      draining = true
      await drain({ app, streams, connections, deadlineMs: limits.drainMs })
      await usageWriter.stop()
      await metricsServer?.close()
      stop.abort()
    }
    return { url: urlOf(app), metrics, close: () => (closing ??= close()) }
  } catch (error) {
    stop.abort()
    await metricsServer?.close()
    throw error
  }
}

function urlOf(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
