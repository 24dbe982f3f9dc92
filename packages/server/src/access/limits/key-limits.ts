import { RefusedError } from '../../errors.ts'
import type { ApiKey } from '../keys/api-key.ts'

export interface KeyLimits {
  /**
   * Takes one request from a key's rate.
   *
   * @returns response headers with the remaining rate.
   * @throws {RefusedError} `rate_limited`
   */
  takeRequest(key: ApiKey): Record<string, string>
  /**
   * @throws {RefusedError} `connection_limit`: the key has all its connections open; `overloaded`: the gateway has.
   */
  checkConnections(key: ApiKey): void
  /** Counts a connection until the function it returns is called. */
  openConnection(key: ApiKey): () => void
}

export interface KeyLimitsOptions {
  /** Number of gateways that share the limits of a key. */
  readonly gateways: number
  readonly connections: number
  /** A monotonic clock in ms. Default `performance.now`. */
  readonly clock?: () => number
}

/** This gateway's share of a key's limits. */
interface KeyShare {
  readonly rate: number
  readonly burst: number
  readonly connections: number
}

interface KeyUse {
  rate: number
  burst: number
  bucket: TokenBucket
  connections: number
}

/** Headers for a request without a key: a rate of 0 for every IP address. */
export const keylessRateHeaders: Readonly<Record<string, string>> = {
  'ratelimit-policy': '"ip";q=0;w=1',
  ratelimit: '"ip";r=0',
}

export function createKeyLimits({ gateways, connections, clock }: KeyLimitsOptions): KeyLimits {
  const uses = new Map<string, KeyUse>()
  let open = 0
  return {
    takeRequest(key) {
      const { bucket } = useOf(key)
      const taken = bucket.take()
      const share = shareOf(key)
      const headers = rateHeaders(share, bucket)
      if (taken) return headers
      const seconds = bucket.secondsUntilNext()
      throw new RefusedError(
        'rate_limited',
        `This key may send ${share.rate} requests a second, and ${share.burst} at once.`,
        {
          headers: { ...headers, 'retry-after': `${seconds}` },
          members: { retryAfterMs: seconds * 1000 },
        },
      )
    },
    checkConnections(key) {
      const share = shareOf(key)
      const held = useOf(key).connections
      const headers = { 'retry-after': '1' }
      if (held >= share.connections)
        throw new RefusedError(
          'connection_limit',
          `This key may have ${share.connections} connections, and ${held} are open.`,
          { headers },
        )
      if (open >= connections)
        throw new RefusedError('overloaded', `This gateway has all its ${connections} connections open. Try again.`, {
          headers,
        })
    },
    openConnection(key) {
      const use = useOf(key)
      use.connections++
      open++
      let counted = true
      return () => {
        if (!counted) return
        counted = false
        use.connections--
        open--
      }
    },
  }

  function useOf(key: ApiKey): KeyUse {
    const known = uses.get(key.id)
    if (known && known.rate === key.rate && known.burst === key.burst) return known
    const { rate, burst } = shareOf(key)
    const bucket = createTokenBucket({ rate, burst, ...(clock && { clock }) })
    // The object is kept when a limit changes, because open connections are counted in it.
    const use = Object.assign(known ?? { connections: 0 }, { rate: key.rate, burst: key.burst, bucket })
    uses.set(key.id, use)
    return use
  }

  /** At least one: otherwise a key with low limits could not be used on any of many gateways. */
  function shareOf({ rate, burst, connections }: ApiKey): KeyShare {
    const whole = (limit: number) => Math.max(1, Math.floor(limit / gateways))
    return { rate: rate / gateways, burst: whole(burst), connections: whole(connections) }
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers: the burst as a quota over the time in which the bucket fills. */
function rateHeaders({ rate, burst }: KeyShare, bucket: TokenBucket): Record<string, string> {
  return {
    'ratelimit-policy': `"key";q=${burst};w=${Math.ceil(burst / rate)}`,
    ratelimit: `"key";r=${bucket.remaining()};t=${bucket.secondsUntilFull()}`,
  }
}

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
