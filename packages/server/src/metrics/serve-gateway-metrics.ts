import {
  type CollectedMetrics,
  formatMetrics,
  type MetricsAddress,
  type MetricsServer,
  metricsMediaType,
  serveMetrics,
} from '@headrace/queue/metrics'

/**
 * Serves the metrics of one or several gateways at `/metrics`, without authentication.
 *
 * @throws {UserError} `listen_failed`
 */
export function serveGatewayMetrics(
  address: MetricsAddress,
  metrics: () => Promise<readonly CollectedMetrics[]>,
): Promise<MetricsServer> {
  const text = async () => ({ status: 200, type: metricsMediaType, body: await formatMetrics(await metrics()) })
  return serveMetrics(address, { '/metrics': text })
}
