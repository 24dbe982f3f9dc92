export type { MetricFamily, Sample } from './metric-family.ts'
export { type CollectedMetrics, createRegistry, formatMetrics, metricsMediaType } from './registry.ts'
export { type MetricsAddress, type MetricsServer, serveMetrics } from './serve-metrics.ts'
