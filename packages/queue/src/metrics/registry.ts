import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  type Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import type { MetricFamily } from './metric-family.ts'

/** Metrics with their values, as plain objects that can be sent to another process. */
export type CollectedMetrics = MetricObjectWithValues<MetricValue<string>>[]

export interface RegistryOptions {
  readonly families: readonly MetricFamily[]
  readonly histograms: readonly Histogram[]
  /** Added to every sample. */
  readonly labels?: Readonly<Record<string, string>>
}

/** The media type of `formatMetrics`. */
export const metricsMediaType: string = Registry.PROMETHEUS_CONTENT_TYPE

/**
 * Registers metrics, and the default ones of prom-client about the process and Node. From now on the lag of the event loop
 * and garbage collections are measured until the process ends.
 */
export function createRegistry({ families, histograms, labels = {} }: RegistryOptions): Registry {
  const registry = new Registry()
  registry.setDefaultLabels(labels)
  for (const family of families) register(registry, family)
  for (const histogram of histograms) registry.registerMetric(histogram)
  collectDefaultMetrics({ register: registry })
  return registry
}

/** Counters in the code are plain numbers, which cost a hundredth of an `inc()`. They are read here. */
function register(registry: Registry, { name, type, help, labels, samples }: MetricFamily): void {
  const Metric = type === 'counter' ? Counter : Gauge
  new Metric({
    ...{ name, help, labelNames: labels, registers: [registry] },
    collect() {
      this.reset()
      // A metric without labels is 0 after a reset, and must be absent if it has no value.
      if (labels.length === 0) this.remove()
      for (const { labels = {}, value } of samples()) this.inc(labels, value)
    },
  })
}

/** Formats the metrics of one or several processes as Prometheus text, version 0.0.4. */
export function formatMetrics(processes: readonly CollectedMetrics[]): Promise<string> {
  // Labels distinguish the processes. By default prom-client would drop `process_start_time_seconds`.
  const summed = processes.map((metrics) => metrics.map((metric) => ({ ...metric, aggregator: 'sum' as const })))
  return AggregatorRegistry.aggregate(summed).metrics()
}
