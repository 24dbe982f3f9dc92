import type { Queue } from '@headrace/queue'
import {
  createRegistry,
  type MetricFamily,
  type MetricsAddress,
  type MetricsServer,
  metricsMediaType,
  type Sample,
  serveMetrics,
} from '@headrace/queue/metrics'
import type { EndpointHealth } from '../../source/fetch/endpoint-state.ts'
import type { RunState } from '../run-options.ts'
import { lagOf, type RunMeter } from './run-meter.ts'

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
  readonly state: RunState
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

function stateOf({ writerId, failing, endpoints }: RunMeter, signal: AbortSignal): RunState {
  if (signal.aborted) return 'stopping'
  if (writerId === undefined) return 'starting'
  return failing.read || failing.commit || isCutOff(endpoints()) ? 'retrying' : 'running'
}

/** A first back-off is normal: it is how an endpoint's limit is found. */
function isCutOff(endpoints: readonly EndpointHealth[]): boolean {
  return endpoints.length > 0 && endpoints.every(({ state, backOffs }) => state === 'refused' || backOffs > 1)
}

export function runMetrics(meter: RunMeter): readonly MetricFamily[] {
  const writer = (): readonly Entry[] => (meter.writerId === undefined ? [] : [[[meter.writerId], 1]])
  const retries = () => entriesOf(meter.retries)
  const stageSeconds = () => entriesOf(meter.stageMs).map(([stage, ms]): Entry => [stage, seconds(ms)])
  const lastCommit = () => seconds(meter.lastCommitAt)
  return [
    gauge('info', 'The writer of this run, once it owns its topics.', writer, 'writer'),
    counter('units_total', 'Units that have become visible.', () => meter.units),
    counter('records_total', 'Records of messages that have become visible.', () => meter.records),
    counter('record_bytes_total', 'Bytes of the keys and values of those records.', () => meter.bytes),
    counter('transactions_total', 'Transactions that have become visible.', () => meter.transactions),
    counter('retries_total', 'Reads and commits that were repeated after a failure.', retries, 'step'),
    counter('reverts_total', 'Units that reverted others.', () => meter.reverts),
    counter('reverted_units_total', 'Units that were reverted.', () => meter.revertedUnits),
    counter('reverted_records_total', 'Records that were reverted.', () => meter.revertedRecords),
    counter('dead_letters_total', 'Messages that could not be published.', () => meter.badMessages),
    counter('stage_seconds_total', 'Time spent on each stage of publishing. Stages overlap.', stageSeconds, 'stage'),
    gauge('last_commit_timestamp_seconds', 'When a transaction last became visible.', lastCommit),
    gauge('source_position', 'Position of the source, in its own unit.', () => meter.progress?.at),
    gauge('source_head', 'Head of the source, in the same unit.', () => meter.progress?.head),
    gauge('source_lag', 'Distance of the source to its head, in the same unit.', () => lagOf(meter)),
    ...endpointMetrics(meter),
  ]
}

function endpointMetrics(meter: RunMeter): readonly MetricFamily[] {
  const each = (value: (health: EndpointHealth) => number | undefined) => (): readonly Entry[] =>
    meter.endpoints().map((health) => [[health.name], value(health)])
  const up = each(({ state }) => (state === 'serving' ? 1 : 0))
  const answers = each((health) => health.answers)
  const failures = (): readonly Entry[] =>
    meter
      .endpoints()
      .flatMap(({ name, failures }) => entriesOf(failures).map(([kind, value]): Entry => [[name, ...kind], value]))
  const latency = each(({ latencyMs }) => seconds(latencyMs))
  const limit = each((health) => health.limit)
  const upHelp =
    'Whether an endpoint of the source is used: 1, or 0 while it is backed off from or refuses this client.'
  const failuresHelp = 'Requests that an endpoint has not answered, by kind.'
  return [
    gauge('endpoint_up', upHelp, up, 'endpoint'),
    counter('endpoint_answers_total', 'Requests that an endpoint has answered.', answers, 'endpoint'),
    counter('endpoint_failures_total', failuresHelp, failures, 'endpoint', 'kind'),
    gauge('endpoint_latency_seconds', 'Average latency of the last answers.', latency, 'endpoint'),
    gauge('endpoint_limit', 'Concurrent requests that are allowed at an endpoint now.', limit, 'endpoint'),
  ]
}

/** A value, and the values of its labels. */
type Entry = readonly [labels: readonly string[], value: number | undefined]

function counter(name: string, help: string, read: Read, ...labels: string[]): MetricFamily {
  return { name: `headrace_connector_${name}`, type: 'counter', help, labels, samples: () => samplesOf(read(), labels) }
}

function gauge(...metric: Parameters<typeof counter>): MetricFamily {
  return { ...counter(...metric), type: 'gauge' }
}

type Read = () => number | undefined | readonly Entry[]

function samplesOf(values: ReturnType<Read>, names: readonly string[]): readonly Sample[] {
  const entries: readonly Entry[] = typeof values === 'object' ? values : [[[], values]]
  return entries.flatMap(([labels, value]) => {
    if (value === undefined) return []
    return { labels: Object.fromEntries(names.map((name, at) => [name, labels[at]!])), value }
  })
}

function entriesOf(values: Readonly<Record<string, number>>): readonly Entry[] {
  return Object.entries(values).map(([label, value]) => [[label], value])
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000
}
