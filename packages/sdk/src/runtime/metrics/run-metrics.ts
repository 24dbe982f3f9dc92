import type { Queue } from '@headrace/queue'
import { createRegistry, type MetricFamily, metricsMediaType, type Sample } from '@headrace/queue/metrics'
import type { EndpointHealth } from '../../source/fetch/endpoint-state.ts'
import { lagOf, type RunMeter } from './run-meter.ts'
import { type MetricsAddress, type MetricsServer, serveMetrics } from './serve-metrics.ts'

/** Serves `/metrics`, for Prometheus, and `/health`: 200 while running, else 503. */
export function serveRunMetrics(
  address: MetricsAddress,
  run: { readonly meter: RunMeter; readonly queue: Queue; readonly signal: AbortSignal },
): Promise<MetricsServer> {
  const { meter, queue, signal } = run
  const registry = createRegistry({
    families: [...runMetrics(meter), ...queue.metrics()],
    histograms: [meter.commitDuration],
  })
  return serveMetrics(address, {
    '/metrics': async () => ({ status: 200, type: metricsMediaType, body: await registry.metrics() }),
    '/health': async () => {
      const health = runHealth(meter, signal)
      const status = health.state === 'running' ? 200 : 503
      return { status, type: 'application/json', body: `${JSON.stringify(health)}\n` }
    },
  })
}

interface RunHealth {
  /**
   * `starting`: it does not own its topics yet. `retrying`: the source or the queue has failed, or no endpoint of the
   * source answers.
   */
  readonly state: 'starting' | 'running' | 'retrying' | 'stopping'
  readonly started: string
  /** Ms since a transaction last became visible; `null` before the first of this run. */
  readonly lastCommitAgeMs: number | null
  readonly lag: number | null
}

export function runHealth(meter: RunMeter, signal: AbortSignal): RunHealth {
  const { startedAt, lastCommitAt } = meter
  return {
    state: stateOf(meter, signal),
    started: new Date(startedAt).toISOString(),
    lastCommitAgeMs: lastCommitAt === undefined ? null : Date.now() - lastCommitAt,
    lag: lagOf(meter) ?? null,
  }
}

function stateOf({ writerId, failing, endpoints }: RunMeter, signal: AbortSignal): RunHealth['state'] {
  if (signal.aborted) return 'stopping'
  if (writerId === undefined) return 'starting'
  return failing.read || failing.commit || isCutOff(endpoints()) ? 'retrying' : 'running'
}

/** A first back-off is normal: it is how an endpoint's limit is found. */
function isCutOff(endpoints: readonly EndpointHealth[]): boolean {
  return endpoints.length > 0 && endpoints.every(({ state, backOffs }) => state === 'refused' || backOffs > 1)
}

export function runMetrics(meter: RunMeter): readonly MetricFamily[] {
  return [
    metric('gauge', 'info', 'The writer of this run, once it owns its topics.', () => writerOf(meter), ['writer']),
    metric('counter', 'units_total', 'Units that have become visible.', () => meter.units),
    metric('counter', 'records_total', 'Records of messages that have become visible.', () => meter.records),
    metric('counter', 'record_bytes_total', 'Bytes of the keys and values of those records.', () => meter.bytes),
    metric('counter', 'transactions_total', 'Transactions that have become visible.', () => meter.transactions),
    metric(
      'counter',
      'retries_total',
      'Reads and commits that were repeated after a failure.',
      () => labelled('step', meter.retries),
      ['step'],
    ),
    metric('counter', 'reverts_total', 'Units that reverted others.', () => meter.reverts),
    metric('counter', 'reverted_units_total', 'Units that were reverted.', () => meter.revertedUnits),
    metric('counter', 'reverted_records_total', 'Records that were reverted.', () => meter.revertedRecords),
    metric('counter', 'dead_letters_total', 'Messages that could not be published.', () => meter.badMessages),
    metric(
      'counter',
      'stage_seconds_total',
      'Time spent on each stage of publishing. Stages overlap.',
      () => labelled('stage', meter.stageMs, 1000),
      ['stage'],
    ),
    metric('gauge', 'last_commit_timestamp_seconds', 'When a transaction last became visible.', () =>
      meter.lastCommitAt === undefined ? undefined : meter.lastCommitAt / 1000,
    ),
    metric('gauge', 'source_position', 'Position of the source, in its own unit.', () => meter.progress?.at),
    metric('gauge', 'source_head', 'Head of the source, in the same unit.', () => meter.progress?.head),
    metric('gauge', 'source_lag', 'Distance of the source to its head, in the same unit.', () => lagOf(meter)),
    ...endpointMetrics(meter),
  ]
}

function endpointMetrics(meter: RunMeter): readonly MetricFamily[] {
  const each = (value: (health: EndpointHealth) => number | undefined) => () =>
    meter.endpoints().flatMap((health) => {
      const found = value(health)
      return found === undefined ? [] : [{ labels: { endpoint: health.name }, value: found }]
    })
  const failures = () =>
    meter
      .endpoints()
      .flatMap(({ name, failures }) =>
        Object.entries(failures).map(([kind, value]) => ({ labels: { endpoint: name, kind }, value })),
      )
  return [
    metric(
      'gauge',
      'endpoint_up',
      'Whether an endpoint of the source is used: 1, or 0 while it is backed off from or refuses this client.',
      each(({ state }) => (state === 'serving' ? 1 : 0)),
      ['endpoint'],
    ),
    metric(
      'counter',
      'endpoint_answers_total',
      'Requests that an endpoint has answered.',
      each(({ answers }) => answers),
      ['endpoint'],
    ),
    metric('counter', 'endpoint_failures_total', 'Requests that an endpoint has not answered, by kind.', failures, [
      'endpoint',
      'kind',
    ]),
    metric('gauge', 'endpoint_latency_seconds', 'Average latency of the last answers.', each(latencySeconds), [
      'endpoint',
    ]),
    metric(
      'gauge',
      'endpoint_limit',
      'Concurrent requests that are allowed at an endpoint now.',
      each(({ limit }) => limit),
      ['endpoint'],
    ),
  ]
}

function latencySeconds({ latencyMs }: EndpointHealth): number | undefined {
  return latencyMs === undefined ? undefined : latencyMs / 1000
}

type Value = number | undefined | readonly Sample[]

function metric(
  type: MetricFamily['type'],
  name: string,
  help: string,
  read: () => Value,
  labels: readonly string[] = [],
): MetricFamily {
  return { name: `headrace_connector_${name}`, type, help, labels, samples: () => asSamples(read()) }
}

function asSamples(value: Value): readonly Sample[] {
  if (typeof value !== 'number') return value ?? []
  return [{ value }]
}

function writerOf({ writerId }: RunMeter): Value {
  return writerId === undefined ? [] : [{ labels: { writer: writerId }, value: 1 }]
}

function labelled(label: string, values: Readonly<Record<string, number>>, divisor = 1): readonly Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value: value / divisor }))
}
