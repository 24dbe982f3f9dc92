/** What the end of a request says about the load on the endpoint. */
export type LoadSign =
  | 'good'
  /** The endpoint refused for now, took too long, or called the answer too large. */
  | 'overloaded'
  | 'neutral'

export interface AdaptiveLimitOptions {
  /** Concurrent requests in the beginning. Default 4. */
  readonly first?: number
  /** Concurrent requests at most. Default 64. */
  readonly most?: number
  readonly now?: () => number
}

/**
 * A limit on the concurrent requests at one endpoint. It adapts like TCP's congestion window (RFC 5681): it doubles
 * until the first overload; from then on each overload halves it, and it grows by one for each full set of answers. It
 * does not grow while latency is far above the lowest measured one, because more requests would only wait.
 */
export interface AdaptiveLimit {
  /** Concurrent requests that are allowed now: a whole number from 1 to `most`. */
  readonly limit: number
  readonly running: number
  /** Average latency of the last answers in ms; `undefined` before the first. */
  readonly latencyMs: number | undefined
  begin(): (sign: LoadSign) => void
}

const weight = 0.1
/** Latency above `slowFactor` times the lowest, plus `slowMs`, means that requests are queued. */
const slowFactor = 2
const slowMs = 20
/** The lowest latency is measured again after this many answers: blocks grow, and endpoints move. */
const remeasureAfter = 500

export function createAdaptiveLimit(options: AdaptiveLimitOptions = {}): AdaptiveLimit {
  const { first = 4, most = 64, now = () => performance.now() } = options
  let size = Math.min(first, most)
  let running = 0
  /** Incremented at each decrease. A request that began in an earlier epoch says nothing about the present load. */
  let epoch = 0
  let overloadedBefore = false
  let latencyMs: number | undefined
  let bestMs = Number.POSITIVE_INFINITY
  let answers = 0

  function grow(tookMs: number, wasFull: boolean): void {
    latencyMs = latencyMs === undefined ? tookMs : latencyMs + (tookMs - latencyMs) * weight
    if (++answers % remeasureAfter === 0) bestMs = latencyMs
    bestMs = Math.min(bestMs, latencyMs)
    if (wasFull && latencyMs <= bestMs * slowFactor + slowMs)
      size = Math.min(most, size + (overloadedBefore ? 1 / size : 1))
  }

  function shrink(startedIn: number): void {
    if (startedIn !== epoch) return
    epoch++
    overloadedBefore = true
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
