import type { MetricFamily } from './metric-family.ts'

/** The standard process metrics of Prometheus clients. */
export const processMetrics: readonly MetricFamily[] = [
  {
    name: 'process_cpu_seconds_total',
    type: 'counter',
    help: 'Processor time that the process has used.',
    samples() {
      const { user, system } = process.cpuUsage()
      return [{ value: (user + system) / 1_000_000 }]
    },
  },
  {
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    help: 'Memory that the process holds.',
    samples: () => [{ value: process.memoryUsage.rss() }],
  },
  {
    name: 'process_start_time_seconds',
    type: 'gauge',
    help: 'When the process began.',
    samples: () => [{ value: performance.timeOrigin / 1000 }],
  },
]
