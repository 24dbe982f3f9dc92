import type { MetricFamily, Sample } from '@headrace/queue/metrics'
import type { ApiOptions } from '../api-context.ts'
import { endMessages } from '../feed/transport.ts'
import type { Limits } from '../options/limits.ts'
import type { QueueState } from './measure-queue.ts'

export interface GatewayMetricsOptions extends Pick<ApiOptions, 'meter' | 'usage' | 'isDraining'> {
  readonly limits: Pick<Limits, 'connections'>
  readonly queueState: () => QueueState
}

/** The metrics of a gateway, in the order of the reference page. The meters are read when samples are collected. */
export function gatewayMetrics(options: GatewayMetricsOptions): readonly MetricFamily[] {
  const { meter, usage, isDraining, limits, queueState } = options
  const single = (value: () => number | boolean) => () => [{ value: Number(value()) }]
  return [
    metric('gauge', 'draining', 'Whether the gateway is stopping: 1, else 0.', [], single(isDraining)),
    metric(
      'gauge',
      'queue_up',
      'Whether the queue answers within a second: 1, else 0.',
      [],
      single(() => queueState().up),
    ),
    metric(
      'gauge',
      'max_connections',
      'WebSocket and SSE connections that the gateway allows.',
      [],
      single(() => limits.connections),
    ),
    metric('gauge', 'connections', 'Open WebSocket and SSE connections.', ['protocol'], () => {
      const open = { websocket: 0, sse: 0 }
      for (const { protocol } of usage.streams()) open[protocol]++
      return byLabel('protocol', open, (count) => count)
    }),
    metric('counter', 'records_sent_total', 'Records that were sent, counted once for each client.', ['protocol'], () =>
      byLabel('protocol', usage.sent, ({ records }) => records),
    ),
    metric('counter', 'bytes_sent_total', 'Bytes that were sent, headers and frames included.', ['protocol'], () =>
      byLabel('protocol', usage.sent, ({ bytes }) => bytes),
    ),
    metric('gauge', 'unsent_bytes', 'Unsent bytes of open connections.', [], () => [
      { value: [...usage.streams()].reduce((sum, { socket }) => sum + socket.writableLength, 0) },
    ]),
    metric(
      'counter',
      'streams_ended_total',
      'WebSocket and SSE connections that the gateway has ended, by reason.',
      ['reason'],
      () => byLabel('reason', endMessages, (_, reason) => meter.ended.get(reason) ?? 0),
    ),
    metric(
      'gauge',
      'feed_lag_offsets',
      'Offsets of a topic that the gateway has not read yet, for topics that are read live.',
      ['topic'],
      () => byLabel('topic', Object.fromEntries(queueState().feedLag), Number),
    ),
    metric('counter', 'cache_lookups_total', 'Lookups of rendered records in the caches.', ['cache', 'result'], () =>
      Object.entries(meter.caches).flatMap(([cache, { hits, misses }]) => [
        { labels: { cache, result: 'hit' }, value: hits },
        { labels: { cache, result: 'miss' }, value: misses },
      ]),
    ),
    metric('gauge', 'cache_bytes', 'Memory of cached rendered records.', ['cache'], () =>
      byLabel('cache', meter.caches, ({ bytes }) => bytes),
    ),
  ]
}

function metric(
  type: MetricFamily['type'],
  name: string,
  help: string,
  labels: readonly string[],
  samples: MetricFamily['samples'],
): MetricFamily {
  return { name: `headrace_gateway_${name}`, type, help, labels, samples }
}

function byLabel<Name extends string, Value>(
  label: string,
  values: Readonly<Record<Name, Value>>,
  read: (value: Value, name: Name) => number,
): readonly Sample[] {
  const entries = Object.entries(values) as [Name, Value][]
  return entries.map(([name, value]) => ({ labels: { [label]: name }, value: read(value, name) }))
}
