import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
import { buildDashboard } from './dashboard.ts'
import { graph, number, table } from './panels.ts'
import { firingAlerts, processPanels } from './process-panels.ts'

const at = 'instance=~"$instance"'
const rate = (metric: string, labels = '') => `rate(headrace_${metric}{${at}${labels}}[$__rate_interval])`
const connector = (metric: string) => `headrace_connector_${metric}{${at}}`
const sink = (metric: string) => `headrace_sink_${metric}{${at}}`

export const connectorDashboard: Dashboard = buildDashboard({
  uid: 'headrace-connectors',
  title: 'Headrace: connectors and sinks',
  description: 'Runs of connectors, the endpoints of their sources, and sinks.',
  jobs: 'connector|sink',
  rows: {
    Overview: [
      number({
        title: 'Runs and sinks that answer',
        description: 'Share of the targets that answer Prometheus.',
        unit: 'percentunit',
        expression: `avg(up{job=~"connector|sink",${at}})`,
        badBelow: 1,
      }),
      number({
        title: 'Records per second',
        description: 'Published by all runs.',
        unit: 'cps',
        expression: `sum(${rate('connector_records_total')})`,
      }),
      number({
        title: 'Largest lag of a source',
        description: 'In the unit of the source, such as blocks. In a backfill it is large, and shrinks.',
        unit: 'short',
        expression: `max(${connector('source_lag')})`,
      }),
      number({
        title: 'Oldest last commit',
        description: 'Time since the run that has published nothing for longest.',
        unit: 's',
        expression: `time() - min(${connector('last_commit_timestamp_seconds')})`,
      }),
      number({
        title: 'Dead letters in 24 h',
        description: 'Messages that could not be published.',
        unit: 'short',
        expression: `sum(increase(${connector('dead_letters_total')}[24h]))`,
        badFrom: 1,
      }),
      number({
        title: 'Endpoints in use',
        description: 'The others are backed off from, or refuse this client.',
        unit: 'percentunit',
        expression: `avg(${connector('endpoint_up')})`,
        badBelow: 0.5,
      }),
      table({
        title: 'Writers',
        description: 'One line for each. Two lines with one writer: a run was fenced, and has not ended yet.',
        expression: connector('info'),
        columns: ['writer', 'instance', 'job'],
      }),
      firingAlerts('Connector.*|Sink.*'),
    ],
    Publishing: [
      graph({
        title: 'Lag of the source',
        description: 'Distance to the head, in the unit of the source. It should be near 0, or shrink.',
        unit: 'short',
        lines: { '{{instance}}': connector('source_lag') },
      }),
      graph({
        title: 'Units',
        description: 'What one transaction holds whole, such as a block.',
        unit: 'cps',
        lines: { '{{instance}}': rate('connector_units_total') },
      }),
      graph({
        title: 'Records',
        description: 'Records of messages that have become visible.',
        unit: 'cps',
        lines: { '{{instance}}': rate('connector_records_total') },
      }),
      graph({
        title: 'Time of each stage',
        description: 'Seconds per second. The stage near 1 is the bottleneck; fetch near 1 may be waiting at the head.',
        unit: 'percentunit',
        lines: { '{{instance}} {{stage}}': rate('connector_stage_seconds_total') },
      }),
      graph({
        title: 'Duration of a commit',
        description: 'Half of the transactions, and all but one of a hundred, are shorter.',
        unit: 's',
        lines: Object.fromEntries(
          [0.5, 0.99].map((quantile) => [
            `{{instance}} ${quantile}`,
            `histogram_quantile(${quantile}, sum by (instance, le) (${rate('connector_commit_duration_seconds_bucket')}))`,
          ]),
        ),
      }),
      graph({
        title: 'Bytes',
        description: 'Keys and values of records.',
        unit: 'Bps',
        lines: { '{{instance}}': rate('connector_record_bytes_total') },
      }),
      graph({
        title: 'Retries',
        description: 'Reads and commits that were repeated after a failure. The log has the errors.',
        unit: 'ops',
        lines: { '{{instance}} {{step}}': rate('connector_retries_total') },
      }),
      graph({
        title: 'Reverted units',
        description: 'Units that a reorganisation of the source has replaced.',
        unit: 'cps',
        lines: { '{{instance}}': rate('connector_reverted_units_total') },
      }),
      graph({
        title: 'Dead letters',
        description: 'Messages that could not be published: see _headrace.dead-letters.',
        unit: 'cps',
        lines: { '{{instance}}': rate('connector_dead_letters_total') },
      }),
    ],
    Endpoints: [
      graph({
        title: 'In use',
        description: '1, or 0 while an endpoint is backed off from or refuses this client.',
        unit: 'short',
        max: 1,
        lines: { '{{instance}} {{endpoint}}': connector('endpoint_up') },
      }),
      graph({
        title: 'Answers',
        description: 'Requests that were answered.',
        unit: 'reqps',
        lines: { '{{instance}} {{endpoint}}': rate('connector_endpoint_answers_total') },
      }),
      graph({
        title: 'Failures',
        description: 'overloaded: above its rate. wrong: an invalid answer, which is not published.',
        unit: 'reqps',
        lines: { '{{instance}} {{endpoint}} {{kind}}': `${rate('connector_endpoint_failures_total')} > 0` },
      }),
      graph({
        title: 'Latency',
        description: 'Average of the last answers.',
        unit: 's',
        width: 12,
        lines: { '{{instance}} {{endpoint}}': connector('endpoint_latency_seconds') },
      }),
      graph({
        title: 'Concurrent requests allowed',
        description: 'Found by trying: it falls when an endpoint is overloaded.',
        unit: 'short',
        width: 12,
        lines: { '{{instance}} {{endpoint}}': connector('endpoint_limit') },
      }),
    ],
    Sinks: [
      graph({
        title: 'Lag of sinks',
        description: 'Records between the last applied one and the head. Sinks of final records are always behind.',
        unit: 'short',
        lines: { '{{instance}} {{topic}}': sink('lag_records') },
      }),
      graph({
        title: 'Applied',
        description: 'Records and reverts that were applied.',
        unit: 'cps',
        lines: {
          '{{instance}} records': rate('sink_records_total'),
          '{{instance}} reverts': rate('sink_reverts_total'),
        },
      }),
      graph({
        title: 'Retries of sinks',
        description: 'Failures after which the destination was opened again. The log has the errors.',
        unit: 'ops',
        lines: { '{{instance}}': rate('sink_retries_total') },
      }),
      graph({
        title: 'Batches',
        description: 'Batches that were applied.',
        unit: 'ops',
        width: 12,
        lines: { '{{instance}}': rate('sink_batches_total') },
      }),
      graph({
        title: 'Time since the last batch',
        description: 'Without new records it grows.',
        unit: 's',
        width: 12,
        lines: { '{{instance}}': `time() - ${sink('last_apply_timestamp_seconds')}` },
      }),
    ],
    Processes: processPanels('connector|sink', '{{job}} {{instance}}'),
  },
})
