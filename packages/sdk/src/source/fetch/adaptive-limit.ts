/** How a request has ended, as far as the load on the endpoint is concerned. */
export type LoadSign =
  /** Answered. */
  | 'good'
  /** The endpoint asks for less: it refused for now, took too long, or called the answer too large. */
  | 'overloaded'
  /** Says nothing about the load: cancelled, or failed for another reason. */
  | 'neutral'

export interface AdaptiveLimitOptions {
  /** Requests side by side in the beginning. Default 4. */
  readonly first?: number
  /** Requests side by side at most. Default 64. */
  readonly most?: number
  /** A monotonic clock in ms. Default `performance.now`. */
  readonly now?: () => number
}

/**
 * How many requests may run side by side at one endpoint. It finds out by itself what the endpoint bears, as TCP does
 * (RFC 5681): it doubles until the endpoint is overloaded for the first time, from then on each overload halves it, and
 * it grows by one in the time that a full set of requests takes. It does not grow while answers take much longer than
 * they can: more requests would only wait.
 */
export interface AdaptiveLimit {
  /** Requests that may run side by side now: a whole number from 1 to `most`. */
  readonly limit: number
  readonly running: number
  /** Time of an answer in ms, averaged over the last ones; `undefined` before the first. */
  readonly latencyMs: number | undefined
  /** Counts a request until the function it returns is called, once, with how it ended. */
  begin(): (sign: LoadSign) => void
}

/** Weight of the newest answer in the average of latencies. */
const weight = 0.1
/** Answers that take this many times as long as they can, and as many ms more, say that requests wait. */
const slower = 2
const slowerMs = 20
/** After so many answers what they can take is found out anew: blocks grow, and endpoints move. */
const forgottenAfter = 500

export function createAdaptiveLimit(options: AdaptiveLimitOptions = {}): AdaptiveLimit {
  const { first = 4, most = 64, now = () => performance.now() } = options
  let size = Math.min(first, most)
  let running = 0
  /** Counted up at each decrease: what began before it tells of a load that is gone. */
  let epoch = 0
  let overloadedBefore = false
  let latencyMs: number | undefined
  let bestMs = Number.POSITIVE_INFINITY
  let answers = 0

  function grow(tookMs: number, wasFull: boolean): void {
    latencyMs = latencyMs === undefined ? tookMs : latencyMs + (tookMs - latencyMs) * weight
    if (++answers % forgottenAfter === 0) bestMs = latencyMs
    bestMs = Math.min(bestMs, latencyMs)
    if (wasFull && latencyMs <= bestMs * slower + slowerMs)
      size = Math.min(most, size + (overloadedBefore ? 1 / size : 1))
  }

  function shrink(begunIn: number): void {
    if (begunIn !== epoch) return
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
      const [begunIn, begunAt] = [epoch, now()]
      running++
      return (sign) => {
        const wasFull = running >= Math.floor(size)
        running--
        if (sign === 'good') grow(now() - begunAt, wasFull)
        else if (sign === 'overloaded') shrink(begunIn)
      }
    },
  }
}
