import { after } from '../../after.ts'
import { overloaded, RefusedError } from '../../errors.ts'
import type { Caller } from './caller.ts'
import { type LimitStore, once, type Taken } from './limit-store.ts'

/** Decides with the limits of callers, in the order and with the codes of `docs/reference/rest.md`. */
export interface CallerLimits {
  /**
   * Takes one request. Returns response headers. A promise only if the store has to ask another process.
   *
   * @throws {RefusedError} `rate_limited`; `overloaded`: the store does not answer.
   */
  takeRequest(caller: Caller): RateHeaders | Promise<RateHeaders>
  /**
   * Opens a connection, which counts until the returned function is called.
   *
   * @throws {RefusedError} `connection_limit`, of the caller; `overloaded`: of the gateway, or the store does not answer.
   */
  openConnection(caller: Caller): (() => void) | Promise<() => void>
}

export type RateHeaders = Readonly<Record<string, string>>

export interface CallerLimitsOptions {
  readonly store: LimitStore
  /** Of all callers, at this gateway. */
  readonly connections: number
}

export const keylessRateHeaders: RateHeaders = {
  'ratelimit-policy': '"ip";q=0;w=1',
  ratelimit: '"ip";r=0',
}

export function createCallerLimits({ store, connections }: CallerLimitsOptions): CallerLimits {
  let open = 0
  return {
    takeRequest: (caller) => after(store.takeRequest(caller), (taken) => headersOf(caller, taken)),
    openConnection: (caller) =>
      after(store.openConnection(caller), ({ others, close }) => {
        if (!close) throw tooManyConnections(caller, others)
        if (open >= connections) {
          close()
          throw overloaded(`This gateway has all its ${connections} connections open. Try again.`)
        }
        open++
        return once(() => {
          open--
          close()
        })
      }),
  }
}

/** Fields of draft-ietf-httpapi-ratelimit-headers. */
function headersOf(caller: Caller, taken: Taken): RateHeaders {
  const { by, rate, burst } = caller
  const { remaining, secondsUntilFull, secondsUntilNext } = taken
  const headers = {
    'ratelimit-policy': `"${by}";q=${burst};w=${Math.ceil(burst / rate)}`,
    ratelimit: `"${by}";r=${remaining};t=${secondsUntilFull}`,
  }
  if (taken.isAllowed) return headers
  throw new RefusedError('rate_limited', `${subjects[by]} may send ${rate} requests a second, and ${burst} at once.`, {
    headers: { ...headers, 'retry-after': `${secondsUntilNext}` },
    members: { retryAfterMs: secondsUntilNext * 1000 },
  })
}

function tooManyConnections({ by, connections }: Caller, open: number): RefusedError {
  const message = `${subjects[by]} may have ${connections} connections, and ${open} are open.`
  return new RefusedError('connection_limit', message, { headers: { 'retry-after': '1' } })
}

const subjects: Readonly<Record<Caller['by'], string>> = { key: 'This key', ip: 'Without an API key, an address' }
