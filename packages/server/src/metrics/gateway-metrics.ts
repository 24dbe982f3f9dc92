import { type MetricFamily, processMetrics, type Sample } from '@headrace/queue/metrics'
import { endMessages } from '../feed/transport.ts'
import type { UsageMeter } from '../usage/usage-meter.ts'
import type { GatewayMeter } from './gateway-meter.ts'

export interface GatewayMetricsOptions {
  readonly meter: GatewayMeter
  readonly usage: UsageMeter
  /** Which of the gateways behind one port this is, from 1. */
  readonly number: number
  /** Offsets of each topic that is read live, which its feed has not read yet. */
  readonly feedLag: ReadonlyMap<string, bigint>
  /** What the queue counts. Default: nothing. */
  readonly queue?: readonly MetricFamily[]
}

/** The metrics of a gateway, in the order in which they are listed. They are read from its meters when somebody asks. */
export function gatewayMetrics(options: GatewayMetricsOptions): readonly MetricFamily[] {
  const { meter, usage, number, feedLag, queue = [] } = options
  const families: readonly MetricFamily[] = [
    metric('counter', 'requests_total', 'HTTP requests that were answered, by route and status.', () =>
      requestSamples(meter, ({ count }) => count),
    ),
    metric('counter', 'request_seconds_total', 'Time until the answers were over, by route and status.', () =>
      requestSamples(meter, ({ ms }) => ms / 1000),
    ),
    metric('gauge', 'connections', 'WebSocket and SSE connections that are open.', () => connectionSamples(usage)),
    metric('counter', 'records_sent_total', 'Records that were sent; one counts for each client it was sent to.', () =>
      byLabel('protocol', usage.sent, ({ records }) => records),
    ),
    metric('counter', 'bytes_sent_total', 'Bytes that were sent, headers and frames included.', () =>
      byLabel('protocol', usage.sent, ({ bytes }) => bytes),
    ),
    metric('gauge', 'unsent_bytes', 'Bytes that wait for clients to take them.', () => [{ value: unsent(usage) }]),
    metric('counter', 'streams_ended_total', 'WebSocket and SSE connections that the gateway has ended, by why.', () =>
      byLabel('reason', endMessages, (_, reason) => meter.ended.get(reason) ?? 0),
    ),
    metric('gauge', 'feed_lag_offsets', 'Offsets of a topic that is read live, which its feed has yet to read.', () =>
      Array.from(feedLag, ([topic, lag]) => ({ labels: { topic }, value: Number(lag) })),
    ),
    metric('counter', 'cache_lookups_total', 'Lookups of rendered records in memory.', () =>
      Object.entries(meter.caches).flatMap(([cache, { hits, misses }]) => [
        { labels: { cache, result: 'hit' }, value: hits },
        { labels: { cache, result: 'miss' }, value: misses },
      ]),
    ),
    metric('gauge', 'cache_bytes', 'Bytes that rendered records take up in memory.', () =>
      byLabel('cache', meter.caches, ({ bytes }) => bytes),
    ),
    ...processMetrics,
    ...queue,
  ]
  return families.map((family) => labelled(family, `${number}`))
}

function metric(
  type: MetricFamily['type'],
  name: string,
  help: string,
  samples: MetricFamily['samples'],
): MetricFamily {
  return { name: `headrace_gateway_${name}`, type, help, samples }
}

/** Each process counts for itself: after a restart its counters begin again, which can be told by its label alone. */
function labelled(family: MetricFamily, gateway: string): MetricFamily {
  return {
    ...family,
    samples: () => family.samples().map(({ labels, value }) => ({ labels: { gateway, ...labels }, value })),
  }
}

function requestSamples(
  { requests }: GatewayMeter,
  read: (counts: { readonly count: number; readonly ms: number }) => number,
): readonly Sample[] {
  return Array.from(requests.values(), (counts) => ({
    labels: { route: counts.route, status: `${counts.status}` },
    value: read(counts),
  }))
}

function connectionSamples(usage: UsageMeter): readonly Sample[] {
  const open = { websocket: 0, sse: 0 }
  for (const { protocol } of usage.streams()) open[protocol]++
  return byLabel('protocol', open, (count) => count)
}

function unsent(usage: UsageMeter): number {
  let bytes = 0
  for (const { socket } of usage.streams()) bytes += socket.writableLength
  return bytes
}

function byLabel<Name extends string, Value>(
  label: string,
  values: Readonly<Record<Name, Value>>,
  read: (value: Value, name: Name) => number,
): readonly Sample[] {
  const entries = Object.entries(values) as [Name, Value][]
  return entries.map(([name, value]) => ({ labels: { [label]: name }, value: read(value, name) }))
}
