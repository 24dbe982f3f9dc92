/**
 * A token bucket without a timer: it is filled in `take`. The other methods report its state as of the last `take`, so that
 * headers agree with the decision.
 */
export interface TokenBucket {
  take(): boolean
  remaining(): number
  /** Seconds until it is full, rounded up. */
  secondsUntilFull(): number
  /** Seconds until it holds a token, rounded up; 0 if it does. */
  secondsUntilNext(): number
}

export interface TokenBucketOptions {
  readonly rate: number
  /** Capacity. It is full at first. */
  readonly burst: number
  /** A monotonic clock in ms. Default `performance.now`. */
  readonly clock?: () => number
}

export function createTokenBucket({ rate, burst, clock = () => performance.now() }: TokenBucketOptions): TokenBucket {
  let tokens = burst
  let filledAt = clock()
  return {
    take() {
      const now = clock()
      tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * rate)
      filledAt = now
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
    remaining: () => Math.floor(tokens),
    secondsUntilFull: () => Math.ceil((burst - tokens) / rate),
    secondsUntilNext: () => Math.ceil(Math.max(0, 1 - tokens) / rate),
  }
}
