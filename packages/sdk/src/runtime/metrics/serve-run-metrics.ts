import type { Queue } from '@headrace/queue'
import {
  collectMetrics,
  formatMetrics,
  type MetricsAddress,
  type MetricsServer,
  metricsMediaType,
  serveMetrics,
} from '@headrace/queue/metrics'
import { runHealth } from './run-health.ts'
import type { RunMeter } from './run-meter.ts'
import { runMetrics } from './run-metrics.ts'

/**
 * Serves a run's metrics at `/metrics`, in the text format of Prometheus, and its health at `/health`: JSON, with status
 * 200 while it is running and 503 otherwise.
 *
 * @throws {UserError} `listen_failed`
 */
export function serveRunMetrics(
  address: MetricsAddress,
  run: { readonly meter: RunMeter; readonly queue: Queue; readonly signal: AbortSignal },
): Promise<MetricsServer> {
  const families = [...runMetrics(run.meter), ...run.queue.metrics()]
  return serveMetrics(address, {
    '/metrics': () => ({ status: 200, type: metricsMediaType, body: formatMetrics(collectMetrics(families)) }),
    '/health': () => {
      const health = runHealth(run.meter, run.signal)
      const status = health.state === 'running' ? 200 : 503
      return { status, type: 'application/json', body: `${JSON.stringify(health)}\n` }
    },
  })
}
