import type { CollectedMetrics } from '@headrace/queue/metrics'

/** What the first process tells one that serves. */
export type ToGateway =
  /** The first message. */
  | { readonly type: 'start'; readonly number: number }
  | { readonly type: 'tell_metrics'; readonly request: number }
  | { readonly type: 'stop' }

/** What a process that serves tells the first one. */
export type FromGateway =
  | { readonly type: 'listening'; readonly url: string }
  | { readonly type: 'metrics'; readonly request: number; readonly metrics: CollectedMetrics }
