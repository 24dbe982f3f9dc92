/** A full bucket has `burst` tokens; `rate` are added in each second. */
export interface TokenBucketLimits {
  readonly rate: number
  readonly burst: number
}

/** Data instead of an object with methods, because there may be a hundred thousand. */
export interface TokenBucket {
  rate: number
  burst: number
  tokens: number
  /** Tokens that others have and that may still be given back. Until then, the bucket is full without them. */
  lent: number
  /** Monotonic, in ms. Every `now` below is of the same clock. */
  filledAt: number
}

export function createTokenBucket({ rate, burst }: TokenBucketLimits, now: number): TokenBucket {
  return { rate, burst, tokens: burst, lent: 0, filledAt: now }
}

/** Changes the limits. What was taken already still counts. */
export function limitBucket(bucket: TokenBucket, { rate, burst }: TokenBucketLimits, now: number): void {
  if (rate === bucket.rate && burst === bucket.burst) return
  fill(bucket, now)
  bucket.tokens = Math.max(0, bucket.tokens + burst - bucket.burst)
  Object.assign(bucket, { rate, burst })
}

export function takeToken(bucket: TokenBucket, now: number): boolean {
  fill(bucket, now)
  if (bucket.tokens < 1) return false
  bucket.tokens--
  return true
}

/** Lends tokens, which the bucket must have. */
export function lendTokens(bucket: TokenBucket, count: number): void {
  bucket.tokens -= count
  bucket.lent += count
}

/** Takes back those of the lent tokens that were not used. */
export function settleTokens(bucket: TokenBucket, lent: number, unused: number, now: number): void {
  fill(bucket, now)
  bucket.lent -= lent
  bucket.tokens = Math.min(Math.max(bucket.tokens, bucket.burst - bucket.lent), bucket.tokens + unused)
}

export function fill(bucket: TokenBucket, now: number): void {
  const full = Math.max(bucket.tokens, bucket.burst - bucket.lent)
  bucket.tokens = Math.min(full, bucket.tokens + ((now - bucket.filledAt) / 1000) * bucket.rate)
  bucket.filledAt = now
}

export function isFull(bucket: TokenBucket, now: number): boolean {
  fill(bucket, now)
  return bucket.lent === 0 && bucket.tokens >= bucket.burst
}

export interface BucketState {
  /** Whole tokens that are left. */
  readonly remaining: number
  readonly secondsUntilFull: number
  /** Until there is a token. */
  readonly secondsUntilNext: number
}

/** As of the last call that filled it, so that headers agree with the decision. */
export function bucketState({ tokens, rate, burst }: TokenBucketLimits & { readonly tokens: number }): BucketState {
  return {
    remaining: Math.floor(tokens),
    secondsUntilFull: Math.ceil((burst - tokens) / rate),
    secondsUntilNext: Math.ceil(Math.max(0, 1 - tokens) / rate),
  }
}
