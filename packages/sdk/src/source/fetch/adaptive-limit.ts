export type LoadSign =
  | 'good'
  /** It refused for now, took too long, or called the answer too large. */
  | 'overloaded'
  | 'neutral'

export interface AdaptiveLimitOptions {
  readonly first?: number
  readonly most?: number
  readonly now?: () => number
}

/**
 * A limit on concurrent requests, as TCP's congestion window (RFC 5681): it doubles until the first overload; then each
 * overload halves it, and each full set of answers adds one. It does not grow while latency is far above the lowest
 * measured one.
 */
export interface AdaptiveLimit {
  readonly limit: number
  readonly running: number
  /** Average of the last answers. */
  readonly latencyMs: number | undefined
  begin(): (sign: LoadSign) => void
}

const weight = 0.1
/** Latency above `slowFactor` times the lowest, plus `slowMs`, means that requests are queued. */
const slowFactor = 2
const slowMs = 20
/** The lowest latency is measured again after this many answers, because endpoints change. */
const remeasureAfter = 500

export function createAdaptiveLimit(options: AdaptiveLimitOptions = {}): AdaptiveLimit {
  const { first = 4, most = 64, now = () => performance.now() } = options
  let size = Math.min(first, most)
  let running = 0
  /** Incremented at each decrease. A request that began in an earlier epoch does not decrease the limit again. */
  let epoch = 0
  let latencyMs: number | undefined
  let bestMs = Number.POSITIVE_INFINITY
  let answers = 0

  function grow(tookMs: number, wasFull: boolean): void {
    latencyMs = latencyMs === undefined ? tookMs : latencyMs + (tookMs - latencyMs) * weight
    if (++answers % remeasureAfter === 0) bestMs = latencyMs
    bestMs = Math.min(bestMs, latencyMs)
    if (wasFull && latencyMs <= bestMs * slowFactor + slowMs) size = Math.min(most, size + (epoch > 0 ? 1 / size : 1))
  }

  function shrink(startedIn: number): void {
    if (startedIn !== epoch) return
    epoch++
    size = Math.max(1, size / 2)
  }

  return {
    get limit() {
      return Math.floor(size)
    },
    get running() {
      return running
    },
    get latencyMs() {
      return latencyMs
    },
    begin() {
      const [startedIn, startedAt] = [epoch, now()]
      running++
      return (sign) => {
        const wasFull = running >= Math.floor(size)
        running--
        if (sign === 'good') grow(now() - startedAt, wasFull)
        else if (sign === 'overloaded') shrink(startedIn)
      }
    },
  }
}
