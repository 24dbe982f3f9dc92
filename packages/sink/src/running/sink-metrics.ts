import {
  createRegistry,
  type MetricFamily,
  type MetricsAddress,
  type MetricsServer,
  metricsMediaType,
  type Sample,
  serveMetrics,
} from '@headrace/queue/metrics'
import type { SinkMeter } from './sink-meter.ts'

/** Serves `/metrics`, for Prometheus, and `/health`: 200 while the sink applies records or waits for them, else 503. */
export function serveSinkMetrics(
  address: MetricsAddress,
  { meter, signal }: { readonly meter: SinkMeter; readonly signal: AbortSignal },
): Promise<MetricsServer> {
  const registry = createRegistry({ families: sinkMetrics(meter), histograms: [] })
  return serveMetrics(address, {
    '/metrics': async () => ({ status: 200, type: metricsMediaType, body: await registry.metrics() }),
    '/health': async () => {
      const health = sinkHealth(meter, signal)
      const status = health.state === 'running' ? 200 : 503
      return { status, type: 'application/json', body: `${JSON.stringify(health)}\n` }
    },
  })
}

interface SinkHealth {
  /** `starting`: the destination is not open yet, or another run of the sink holds it. */
  readonly state: 'starting' | 'running' | 'retrying' | 'stopping'
  readonly started: string
  /** Ms since a batch was last applied; `null` before the first one of this run. */
  readonly lastApplyAgeMs: number | null
  /** Records behind the heads of the topics; `null` if it is not known. */
  readonly lag: number | null
}

export function sinkHealth(meter: SinkMeter, signal: AbortSignal): SinkHealth {
  const { state, startedAt, lastApplyAt } = meter
  return {
    state: signal.aborted ? 'stopping' : state,
    started: new Date(startedAt).toISOString(),
    lastApplyAgeMs: lastApplyAt === undefined ? null : Date.now() - lastApplyAt,
    lag: totalLag(meter) ?? null,
  }
}

/** Records behind the heads of all topics. `undefined` if it is not known. */
export function totalLag({ lag }: SinkMeter): number | undefined {
  return lag.size === 0 ? undefined : [...lag.values()].reduce((sum, records) => sum + records, 0)
}

export function sinkMetrics(meter: SinkMeter): readonly MetricFamily[] {
  const single = (value: () => number | undefined) => () => {
    const found = value()
    return found === undefined ? [] : [{ value: found }]
  }
  const byTopic = (values: ReadonlyMap<string, number>) => (): Sample[] =>
    [...values].map(([topic, value]) => ({ labels: { topic }, value }))
  const metric = (
    type: MetricFamily['type'],
    name: string,
    help: string,
    samples: MetricFamily['samples'],
    ...labels: string[]
  ): MetricFamily => ({ name: `headrace_sink_${name}`, type, help, labels, samples })
  const info = () => (meter.sink ? [{ labels: { ...meter.sink }, value: 1 }] : [])
  return [
    metric(
      'gauge',
      'info',
      'The sink: its name, the kind of its destination, and which records it gets.',
      info,
      'name',
      'kind',
      'records',
    ),
    metric(
      'counter',
      'records_total',
      'Records that were applied, without reverts.',
      single(() => meter.records),
    ),
    metric(
      'counter',
      'reverts_total',
      'Reverts that were applied.',
      single(() => meter.reverts),
    ),
    metric(
      'counter',
      'batches_total',
      'Batches that were applied.',
      single(() => meter.batches),
    ),
    metric(
      'counter',
      'retries_total',
      'Failures after which the destination was opened again.',
      single(() => meter.retries),
    ),
    metric(
      'gauge',
      'last_apply_timestamp_seconds',
      'When a batch was last applied.',
      single(() => meter.lastApplyAt && meter.lastApplyAt / 1000),
    ),
    metric('gauge', 'lag_records', 'Records between the last applied one and the head.', byTopic(meter.lag), 'topic'),
  ]
}
