import { type MetricFamily, processMetrics, type Sample } from '@headrace/queue/metrics'
import type { EndpointHealth } from '../../source/fetch/endpoint-state.ts'
import { lagOf, type RunMeter } from './run-meter.ts'

/** The metrics of a run, in the order in which they are listed. They are read from its meter when somebody asks. */
export function runMetrics(meter: RunMeter): readonly MetricFamily[] {
  return [
    metric('gauge', 'info', 'The writer of this run, once it owns its topics.', () => writerOf(meter)),
    metric('counter', 'units_total', 'Units that have become visible.', () => meter.units),
    metric('counter', 'records_total', 'Records of messages that have become visible.', () => meter.records),
    metric('counter', 'record_bytes_total', 'Bytes of the keys and values of those records.', () => meter.bytes),
    metric('counter', 'transactions_total', 'Transactions that have become visible.', () => meter.transactions),
    metric('counter', 'retries_total', 'Reads and commits that were tried again after a failure.', () =>
      labelled('step', meter.retries),
    ),
    metric('counter', 'reverts_total', 'Units that have taken others back.', () => meter.reverts),
    metric('counter', 'reverted_units_total', 'Units that were taken back.', () => meter.revertedUnits),
    metric('counter', 'reverted_records_total', 'Records that were taken back.', () => meter.revertedRecords),
    metric('counter', 'dead_letters_total', 'Messages that could not be published.', () => meter.badMessages),
    metric('counter', 'stage_seconds_total', 'Time spent on each stage of publishing. Stages overlap.', () =>
      labelled('stage', meter.stageMs, 1000),
    ),
    metric('gauge', 'last_commit_timestamp_seconds', 'When a transaction last became visible.', () =>
      meter.lastCommitAt === undefined ? undefined : meter.lastCommitAt / 1000,
    ),
    metric('gauge', 'source_position', 'How far the source has come, in its own unit.', () => meter.progress?.at),
    metric('gauge', 'source_head', 'Where the source ends now, in the same unit.', () => meter.progress?.head),
    metric('gauge', 'source_lag', 'How far the source is behind its head, in the same unit.', () => lagOf(meter)),
    ...endpointMetrics(meter),
    ...processMetrics,
  ]
}

/** Of a source that fetches from endpoints, by the name of each. */
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
      'Whether an endpoint of the source is asked: 1, or 0 while it rests or refuses.',
      each(({ state }) => (state === 'serving' ? 1 : 0)),
    ),
    metric(
      'counter',
      'endpoint_answers_total',
      'Requests that an endpoint has answered.',
      each(({ answers }) => answers),
    ),
    metric('counter', 'endpoint_failures_total', 'Requests that an endpoint has not answered, by why.', failures),
    metric(
      'gauge',
      'endpoint_latency_seconds',
      'Time of an answer, averaged over the last ones.',
      each(latencySeconds),
    ),
    metric(
      'gauge',
      'endpoint_limit',
      'Requests that may run side by side at an endpoint now.',
      each(({ limit }) => limit),
    ),
  ]
}

function latencySeconds({ latencyMs }: EndpointHealth): number | undefined {
  return latencyMs === undefined ? undefined : latencyMs / 1000
}

type Value = number | undefined | readonly Sample[]

function metric(type: MetricFamily['type'], name: string, help: string, read: () => Value): MetricFamily {
  return { name: `headrace_connector_${name}`, type, help, samples: () => asSamples(read()) }
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
