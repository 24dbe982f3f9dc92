import {
  type CollectedMetrics,
  formatMetrics,
  type MetricsAddress,
  type MetricsServer,
  metricsMediaType,
  serveMetrics,
} from '@headrace/queue/metrics'

/**
 * Serves the metrics of a gateway, or of several together, at `/metrics`, in the text format of Prometheus.
 *
 * @throws {UserError} `listen_failed`
 */
export function serveGatewayMetrics(
  address: MetricsAddress,
  metrics: () => Promise<CollectedMetrics>,
): Promise<MetricsServer> {
  return serveMetrics(address, {
    '/metrics': async () => ({ status: 200, type: metricsMediaType, body: formatMetrics(await metrics()) }),
  })
}
