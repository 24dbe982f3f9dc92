import type { MetricFamily } from '../metrics/metric-family.ts'
import type { Throttling } from './connection/cluster.ts'

/** What brokers have throttled, because this client exceeds a quota such as `consumer_byte_rate`. */
export function throttlingMetrics(throttling: Throttling): readonly MetricFamily[] {
  return [
    {
      name: 'headrace_queue_throttled_answers_total',
      type: 'counter',
      help: 'Answers that a Kafka broker gave without records, because this client exceeds a quota.',
      samples: () => [{ value: throttling.answers }],
    },
    {
      name: 'headrace_queue_throttled_seconds_total',
      type: 'counter',
      help: 'Time for which Kafka brokers have throttled this client.',
      samples: () => [{ value: throttling.ms / 1000 }],
    },
  ]
}
