import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
import { buildDashboard } from './dashboard.ts'
import { graph, number } from './panels.ts'
import { firingAlerts, processPanels } from './process-panels.ts'

const at = 'instance=~"$instance"'
const gateway = (metric: string, labels = '') => `headrace_gateway_${metric}{${at}${labels}}`
const rate = (metric: string, labels = '') => `rate(${gateway(metric, labels)}[$__rate_interval])`
const requests = (labels = '') => `sum(${rate('request_duration_seconds_count', labels)})`
/** An SSE connection is a request that lasts as long as its reader wants. */
const buckets = `sum by (route, le) (${rate('request_duration_seconds_bucket', ',route!="/sse/v1"')})`

export const gatewayDashboard: Dashboard = buildDashboard({
  uid: 'headrace-gateways',
  title: 'Headrace: gateways',
  description: 'Requests, streams, caches and processes of gateways.',
  jobs: 'gateway',
  rows: {
    Overview: [
      number({
        title: 'Gateways that answer',
        description: 'Share of the targets that answer Prometheus.',
        unit: 'percentunit',
        expression: `avg(up{job="gateway",${at}})`,
        badBelow: 1,
      }),
      number({
        title: 'Queue answers',
        description: 'Share of the gateways whose queue answers within a second.',
        unit: 'percentunit',
        expression: `avg(${gateway('queue_up')})`,
        badBelow: 1,
      }),
      number({
        title: 'Connections',
        description: 'Open WebSocket and SSE connections.',
        unit: 'short',
        expression: `sum(${gateway('connections')})`,
      }),
      number({
        title: 'Requests per second',
        description: 'A WebSocket connection and an SSE connection are one request.',
        unit: 'reqps',
        expression: requests(),
      }),
      number({
        title: 'Failed requests',
        description: 'Share of the requests with a status of 500 or more.',
        unit: 'percentunit',
        expression: `(${requests(',status=~"5.."')} or vector(0)) / ${requests()}`,
        badFrom: 0.01,
      }),
      number({
        title: 'Gateways that are stopping',
        description: 'For some seconds each, in an update.',
        unit: 'short',
        expression: `sum(${gateway('draining')})`,
        badFrom: 1,
      }),
      firingAlerts('Gateway.*'),
      graph({
        title: 'Records sent',
        description: 'Counted once for each client.',
        unit: 'cps',
        width: 12,
        lines: { '{{protocol}}': `sum by (protocol) (${rate('records_sent_total')})` },
      }),
    ],
    Requests: [
      graph({
        title: 'By status',
        description: '101 is a WebSocket connection. 429: a client exceeds a limit, or has no key.',
        unit: 'reqps',
        lines: { '{{status}}': `sum by (status) (${rate('request_duration_seconds_count')})` },
      }),
      graph({
        title: 'By route',
        description: 'Routes of the API; none for all other paths.',
        unit: 'reqps',
        lines: { '{{route}}': `sum by (route) (${rate('request_duration_seconds_count')})` },
      }),
      graph({
        title: 'Duration',
        description: 'All but one of a hundred requests are shorter. Downloads in lines count until their end.',
        unit: 's',
        lines: { '{{route}}': `histogram_quantile(0.99, ${buckets})` },
      }),
    ],
    Streams: [
      graph({
        title: 'Open connections',
        description: 'Of each gateway.',
        unit: 'short',
        lines: { '{{instance}} {{gateway}} {{protocol}}': gateway('connections') },
      }),
      graph({
        title: 'Connections in use',
        description: 'Of those that a gateway allows. Add gateways before it reaches 1.',
        unit: 'percentunit',
        max: 1,
        lines: {
          '{{instance}} {{gateway}}': `sum by (instance, gateway) (${gateway('connections')}) / on (instance, gateway) ${gateway('max_connections')}`,
        },
      }),
      graph({
        title: 'Connections that gateways have ended',
        description: 'slow_consumer: the client did not read. quota_exceeded, rate_limited: limits of its key.',
        unit: 'ops',
        lines: { '{{reason}}': `sum by (reason) (${rate('streams_ended_total')}) > 0` },
      }),
      graph({
        title: 'Records not read yet',
        description: 'Offsets at the end of topics that are read live. It should be near 0.',
        unit: 'short',
        lines: { '{{instance}} {{gateway}} {{topic}}': gateway('feed_lag_offsets') },
      }),
      graph({
        title: 'Unsent bytes',
        description: 'They wait for clients that read slowly.',
        unit: 'bytes',
        lines: { '{{instance}} {{gateway}}': gateway('unsent_bytes') },
      }),
      graph({
        title: 'Bytes sent',
        description: 'Headers and frames included.',
        unit: 'Bps',
        lines: { '{{protocol}}': `sum by (protocol) (${rate('bytes_sent_total')})` },
      }),
    ],
    Caches: [
      graph({
        title: 'Hits',
        description: 'Share of the lookups of rendered records that need no reading of the queue.',
        unit: 'percentunit',
        width: 12,
        max: 1,
        lines: {
          '{{cache}}': `sum by (cache) (${rate('cache_lookups_total', ',result="hit"')}) / sum by (cache) (${rate('cache_lookups_total')})`,
        },
      }),
      graph({
        title: 'Memory of caches',
        description: 'Rendered records.',
        unit: 'bytes',
        width: 12,
        lines: { '{{instance}} {{gateway}} {{cache}}': gateway('cache_bytes') },
      }),
    ],
    Processes: processPanels('gateway', '{{instance}} {{gateway}}'),
  },
})
