import { RefusedError } from '../../errors.ts'
import type { ApiKey } from '../keys/api-key.ts'
import { createTokenBucket, type TokenBucket } from './token-bucket.ts'

/** The rate and connection limits of all keys on this gateway. */
export interface KeyLimits {
  /**
   * Takes one request from a key's rate.
   *
   * @returns the headers that tell the client what is left.
   * @throws {RefusedError} `rate_limited`
   */
  takeRequest(key: ApiKey): Record<string, string>
  /** @throws {RefusedError} `connection_limit`: as many connections are open as the key may have. */
  checkConnections(key: ApiKey): void
  /** Counts a connection until the function it returns is called. */
  openConnection(key: ApiKey): () => void
}

interface KeyUse {
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

export function createKeyLimits(): KeyLimits {
  const uses = new Map<string, KeyUse>()
  return {
    takeRequest(key) {
      const { bucket } = useOf(key)
      const taken = bucket.take()
      const headers = rateHeaders(key, bucket)
      if (taken) return headers
      const seconds = bucket.secondsUntilNext()
      throw new RefusedError(
        'rate_limited',
        `This key may send ${key.rate} requests a second, and ${key.burst} at once.`,
        {
          headers: { ...headers, 'retry-after': `${seconds}` },
          members: { retryAfterMs: seconds * 1000 },
        },
      )
    },
    checkConnections(key) {
      const { connections } = useOf(key)
      if (connections < key.connections) return
      throw new RefusedError(
        'connection_limit',
        `This key may hold ${key.connections} connections, and ${connections} are open.`,
        {
          headers: { 'retry-after': '1' },
        },
      )
    },
    openConnection(key) {
      const use = useOf(key)
      use.connections++
      let open = true
      return () => {
        if (open) use.connections--
        open = false
      }
    },
  }

  function useOf(key: ApiKey): KeyUse {
    const known = uses.get(key.id)
    if (known && known.rate === key.rate && known.burst === key.burst) return known
    const bucket = createTokenBucket({ rate: key.rate, burst: key.burst })
    // A changed limit keeps the object: open connections count down in it.
    const use = Object.assign(known ?? { connections: 0 }, { rate: key.rate, burst: key.burst, bucket })
    uses.set(key.id, use)
    return use
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers: the bucket as a quota over the time it takes to fill. */
function rateHeaders(key: ApiKey, bucket: TokenBucket): Record<string, string> {
  return {
    'ratelimit-policy': `"key";q=${key.burst};w=${Math.ceil(key.burst / key.rate)}`,
    ratelimit: `"key";r=${bucket.remaining()};t=${bucket.secondsUntilFull()}`,
  }
}
