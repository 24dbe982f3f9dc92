export {
  type CollectedMetrics,
  collectMetrics,
  formatMetrics,
  type MetricFamily,
  mergeMetrics,
  metricsMediaType,
  type Sample,
} from './metric-family.ts'
export { processMetrics } from './process-metrics.ts'
