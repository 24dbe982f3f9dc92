import type { CollectedMetrics } from '@headrace/queue/metrics'

/** Messages of the supervisor to a gateway process. */
export type ToGateway =
  /** The first message. */
  | { readonly type: 'start'; readonly number: number }
  | { readonly type: 'get_metrics'; readonly request: number }
  | { readonly type: 'stop' }

/** Messages of a gateway process to the supervisor. */
export type FromGateway =
  | { readonly type: 'listening'; readonly url: string }
  | { readonly type: 'metrics'; readonly request: number; readonly metrics: CollectedMetrics }
