import { overloaded, RefusedError } from '../../errors.ts'
import type { ApiKey } from '../keys/api-key.ts'

export interface KeyLimits {
  /**
   * Takes one request from a key's rate. Returns response headers.
   *
   * @throws {RefusedError} `rate_limited`
   */
  takeRequest(key: ApiKey): Record<string, string>
  /** @throws {RefusedError} `connection_limit`, of the key; `overloaded`, of the gateway. */
  checkConnections(key: ApiKey): void
  /** Counts a connection until the function it returns is called. */
  openConnection(key: ApiKey): () => void
}

export interface KeyLimitsOptions {
  readonly gateways: number
  readonly connections: number
  readonly clock?: () => number
}

type KeyShare = { readonly rate: number; readonly burst: number } & Pick<ApiKey, 'connections'>

interface KeyUse {
  /** The limits with which `bucket` was created. */
  limits: Pick<ApiKey, 'rate' | 'burst'>
  bucket: TokenBucket
  openConnections: number
}

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
      const message = `This key may send ${share.rate} requests a second, and ${share.burst} at once.`
      throw new RefusedError('rate_limited', message, {
        headers: { ...headers, 'retry-after': `${seconds}` },
        members: { retryAfterMs: seconds * 1000 },
      })
    },
    checkConnections(key) {
      const share = shareOf(key)
      const held = useOf(key).openConnections
      if (held >= share.connections) {
        const message = `This key may have ${share.connections} connections, and ${held} are open.`
        throw new RefusedError('connection_limit', message, { headers: { 'retry-after': '1' } })
      }
      if (open >= connections) throw overloaded(`This gateway has all its ${connections} connections open. Try again.`)
    },
    openConnection(key) {
      const use = useOf(key)
      use.openConnections++
      open++
      let counted = true
      return () => {
        if (!counted) return
        counted = false
        use.openConnections--
        open--
      }
    },
  }

  function useOf(key: ApiKey): KeyUse {
    const known = uses.get(key.id)
    if (known && known.limits.rate === key.rate && known.limits.burst === key.burst) return known
    const { rate, burst } = shareOf(key)
    const bucket = createTokenBucket({ rate, burst, ...(clock && { clock }) })
    // The object is kept when a limit changes, because connections that close are subtracted from it.
    const use = Object.assign(known ?? { openConnections: 0 }, { limits: key, bucket })
    uses.set(key.id, use)
    return use
  }

  /** At least one, so that each of many gateways accepts a key with low limits. */
  function shareOf({ rate = 100, burst = 200, connections }: ApiKey): KeyShare {
    const whole = (limit: number) => Math.max(1, Math.floor(limit / gateways))
    return { rate: rate / gateways, burst: whole(burst), connections: whole(connections) }
  }
}

/** Fields of draft-ietf-httpapi-ratelimit-headers. */
function rateHeaders({ rate, burst }: KeyShare, bucket: TokenBucket): Record<string, string> {
  return {
    'ratelimit-policy': `"key";q=${burst};w=${Math.ceil(burst / rate)}`,
    ratelimit: `"key";r=${bucket.remaining()};t=${bucket.secondsUntilFull()}`,
  }
}

/** Filled by `take`. Headers report its state as of the last `take`, so that they agree with the decision. */
export interface TokenBucket {
  take(): boolean
  remaining(): number
  secondsUntilFull(): number
  secondsUntilNext(): number
}

export interface TokenBucketOptions extends Pick<KeyShare, 'rate' | 'burst'> {
  /** Monotonic, in ms. */
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
