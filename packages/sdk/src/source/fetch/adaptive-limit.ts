export type LoadSign =
  | 'good'
  /** The endpoint refused for now, took too long, or reported that the answer is too large. */
  | 'overloaded'
  | 'neutral'

export interface AdaptiveLimitOptions {
  readonly first?: number
  readonly most?: number
  readonly now?: () => number
}

const weight = 0.1
/** Latency above `slowFactor` times the lowest, plus `slowMs`, means that requests are queued. */
const slowFactor = 2
const slowMs = 20
/** The lowest latency is measured again after this many answers, because endpoints change. */
const remeasureAfter = 500

/**
 * A limit on concurrent requests, as TCP's congestion window (RFC 5681): it doubles until the first overload; then each
 * overload halves it, and each full set of answers adds one. It does not grow while latency is far above the lowest
 * measured one.
 */
export class AdaptiveLimit {
  running = 0
  /** Average of the last answers. */
  latencyMs: number | undefined
  readonly #most: number
  readonly #now: () => number
  #size: number
  /** Incremented at each decrease. A request that began in an earlier epoch does not decrease the limit again. */
  #epoch = 0
  #bestMs = Number.POSITIVE_INFINITY
  #answers = 0

  constructor({ first = 4, most = 64, now = () => performance.now() }: AdaptiveLimitOptions = {}) {
    this.#most = most
    this.#now = now
    this.#size = Math.min(first, most)
  }

  get limit(): number {
    return Math.floor(this.#size)
  }

  begin(): (sign: LoadSign) => void {
    const [startedIn, startedAt] = [this.#epoch, this.#now()]
    this.running++
    return (sign) => {
      const wasFull = this.running >= this.limit
      this.running--
      if (sign === 'good') this.#grow(this.#now() - startedAt, wasFull)
      else if (sign === 'overloaded' && startedIn === this.#epoch) {
        this.#epoch++
        this.#size = Math.max(1, this.#size / 2)
      }
    }
  }

  #grow(tookMs: number, wasFull: boolean): void {
    const latencyMs = this.latencyMs === undefined ? tookMs : this.latencyMs + (tookMs - this.latencyMs) * weight
    this.latencyMs = latencyMs
    this.#bestMs = ++this.#answers % remeasureAfter === 0 ? latencyMs : Math.min(this.#bestMs, latencyMs)
    if (!wasFull || latencyMs > this.#bestMs * slowFactor + slowMs) return
    this.#size = Math.min(this.#most, this.#size + (this.#epoch > 0 ? 1 / this.#size : 1))
  }
}
