import { RefusedError } from '../../errors.ts'
import type { ApiKey } from '../keys/api-key.ts'
import { createTokenBucket, type TokenBucket } from './token-bucket.ts'

/** The rate and connection limits of all keys on this gateway, and of all its connections together. */
export interface KeyLimits {
  /**
   * Takes one request from a key's rate.
   *
   * @returns the headers that tell the client what is left.
   * @throws {RefusedError} `rate_limited`
   */
  takeRequest(key: ApiKey): Record<string, string>
  /**
   * @throws {RefusedError} `connection_limit`: as many connections are open as the key may have; `overloaded`: as many as
   *   the gateway holds, whoever has them.
   */
  checkConnections(key: ApiKey): void
  /** Counts a connection until the function it returns is called. */
  openConnection(key: ApiKey): () => void
}

export interface KeyLimitsOptions {
  /** Among how many gateways the limits of a key are divided. */
  readonly gateways: number
  /** Connections of all keys together, on this gateway. */
  readonly connections: number
  /** A monotonic clock in ms. Default `performance.now`. */
  readonly clock?: () => number
}

/** What this gateway gives of a key's limits. */
interface KeyShare {
  readonly rate: number
  readonly burst: number
  readonly connections: number
}

interface KeyUse {
  /** The limits of the key that the bucket was made for. */
  rate: number
  burst: number
  bucket: TokenBucket
  connections: number
}

/** Headers for who has no key: a rate of 0 per IP address, whatever the address. */
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
          `This key may hold ${share.connections} connections, and ${held} are open.`,
          { headers },
        )
      if (open >= connections)
        throw new RefusedError('overloaded', `This gateway holds ${connections} connections, and that is all it may.`, {
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
    // A changed limit keeps the object: open connections count down in it.
    const use = Object.assign(known ?? { connections: 0 }, { rate: key.rate, burst: key.burst, bucket })
    uses.set(key.id, use)
    return use
  }

  /** Never nothing: a key could not be used at all on any of many gateways. */
  function shareOf({ rate, burst, connections }: ApiKey): KeyShare {
    const whole = (limit: number) => Math.max(1, Math.floor(limit / gateways))
    return { rate: rate / gateways, burst: whole(burst), connections: whole(connections) }
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers: the bucket as a quota over the time it takes to fill. */
function rateHeaders({ rate, burst }: KeyShare, bucket: TokenBucket): Record<string, string> {
  return {
    'ratelimit-policy': `"key";q=${burst};w=${Math.ceil(burst / rate)}`,
    ratelimit: `"key";r=${bucket.remaining()};t=${bucket.secondsUntilFull()}`,
  }
}
