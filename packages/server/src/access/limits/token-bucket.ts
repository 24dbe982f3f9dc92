/**
 * A bucket of tokens that fills at a steady rate. Costs nothing while nobody asks. It fills when somebody takes: what it
 * tells is as of then, so that it agrees with what was given.
 */
export interface TokenBucket {
  /** Takes a token if there is one. */
  take(): boolean
  /** Whole tokens that are left. */
  remaining(): number
  /** Seconds until it is full, rounded up. */
  secondsUntilFull(): number
  /** Seconds until there is a token, rounded up; 0 when there is one. */
  secondsUntilNext(): number
}

export interface TokenBucketOptions {
  /** Tokens per second. */
  readonly rate: number
  /** Tokens it holds when full, which it is at first. */
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
