import { Histogram } from 'prom-client'
import type { EndReason } from '../feed/transport.ts'
import type { CacheCounts } from '../history/byte-cache.ts'

export interface GatewayMeter {
  /** Labelled with route and status. */
  readonly requests: Histogram<'route' | 'status'>
  readonly ended: ReadonlyMap<EndReason, number>
  countEnd(reason: EndReason): void
  readonly caches: Readonly<Record<'history' | 'pages', CacheCounts>>
}

export function createGatewayMeter(): GatewayMeter {
  const ended = new Map<EndReason, number>()
  return {
    requests: new Histogram({
      name: 'headrace_gateway_request_duration_seconds',
      help: 'Duration of HTTP requests that were answered, by route and status.',
      labelNames: ['route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [],
    }),
    ended,
    countEnd: (reason) => void ended.set(reason, (ended.get(reason) ?? 0) + 1),
    caches: { history: { hits: 0, misses: 0, bytes: 0 }, pages: { hits: 0, misses: 0, bytes: 0 } },
  }
}
