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
export {
  type MetricsAddress,
  type MetricsAnswer,
  type MetricsAnswers,
  type MetricsServer,
  serveMetrics,
} from './serve-metrics.ts'
