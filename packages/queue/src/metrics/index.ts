export type { MetricFamily, Sample } from './metric-family.ts'
export { type CollectedMetrics, createRegistry, formatMetrics, metricsMediaType } from './registry.ts'
