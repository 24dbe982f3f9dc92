import type { EndReason } from '../feed/transport.ts'
import type { CacheCounts } from '../history/byte-cache.ts'

export interface GatewayMeter {
  readonly requests: ReadonlyMap<string, RequestCounts>
  countRequest(route: string, status: number, ms: number): void
  readonly ended: ReadonlyMap<EndReason, number>
  countEnd(reason: EndReason): void
  readonly caches: Readonly<Record<'history' | 'pages', CacheCounts>>
}

export interface RequestCounts {
  readonly route: string
  readonly status: number
  count: number
  ms: number
}

export function createGatewayMeter(): GatewayMeter {
  const requests = new Map<string, RequestCounts>()
  const ended = new Map<EndReason, number>()
  return {
    requests,
    countRequest(route, status, ms) {
      const name = `${route} ${status}`
      const known = requests.get(name)
      if (!known) return void requests.set(name, { route, status, count: 1, ms })
      known.count++
      known.ms += ms
    },
    ended,
    countEnd: (reason) => void ended.set(reason, (ended.get(reason) ?? 0) + 1),
    caches: { history: { hits: 0, misses: 0, bytes: 0 }, pages: { hits: 0, misses: 0, bytes: 0 } },
  }
}
