import type { Builder } from '@grafana/grafana-foundation-sdk/cog'
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { graph, table } from './panels.ts'

/** @param names - Regular expression of the names of alerts. */
export function firingAlerts(names: string): Builder<Panel> {
  return table({
    title: 'Alerts',
    description: 'Alerts that fire. The runbook is deploy/prometheus/README.md.',
    expression: `ALERTS{alertstate="firing",alertname=~"${names}"}`,
    columns: ['alertname', 'severity', 'instance', 'job'],
  })
}

/** The processes of a job. */
export function processPanels(jobs: string, legend: string): readonly Builder<Panel>[] {
  const at = `job=~"${jobs}",instance=~"$instance"`
  return [
    graph({
      title: 'Processor time',
      description: 'Cores in use. A process uses about one at most.',
      unit: 'short',
      lines: { [legend]: `rate(process_cpu_seconds_total{${at}}[$__rate_interval])` },
    }),
    graph({
      title: 'Memory',
      description: 'Resident size.',
      unit: 'bytes',
      lines: { [legend]: `process_resident_memory_bytes{${at}}` },
    }),
    graph({
      title: 'Delay of the event loop',
      description:
        'All but one of a hundred turns are shorter. Above 0.1 s, the process has more work than one core does.',
      unit: 's',
      lines: { [legend]: `nodejs_eventloop_lag_p99_seconds{${at}}` },
    }),
    graph({
      title: 'Starts in an hour',
      description: 'How often a process was started again.',
      unit: 'short',
      width: 12,
      lines: { [legend]: `changes(process_start_time_seconds{${at}}[1h])` },
    }),
    graph({
      title: 'Throttled by Kafka',
      description:
        'Seconds per second for which brokers let this client wait, because it exceeds a quota. Only with Kafka.',
      unit: 'percentunit',
      width: 12,
      lines: { [legend]: `rate(headrace_queue_throttled_seconds_total{${at}}[$__rate_interval])` },
    }),
  ]
}
