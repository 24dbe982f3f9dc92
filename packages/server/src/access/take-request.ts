import { after } from '../after.ts'
import type { UsageMeter } from '../usage/usage-meter.ts'
import type { Grant } from './grant.ts'
import type { ApiKey } from './keys/api-key.ts'
import type { Caller } from './limits/caller.ts'
import type { CallerLimits, RateHeaders } from './limits/caller-limits.ts'
import type { Quotas } from './limits/quotas.ts'

export interface TakenRequest {
  readonly headers: RateHeaders
  /** Of a stream: ends its connection, which is counted until then. */
  readonly close?: () => void
}

/** Takes a request, and for a stream a connection, from what a grant has. Counts it, or the refusal, as usage of the key. */
export type RequestTaker = (grant: Grant, access: 'request' | 'stream') => TakenRequest | Promise<TakenRequest>

export interface RequestTakerOptions {
  readonly callerLimits: CallerLimits
  readonly quotas: Quotas
  readonly usage: UsageMeter
  /** Of keys that have none of their own. */
  readonly defaultRate: number
  readonly defaultBurst: number
}

export function createRequestTaker(options: RequestTakerOptions): RequestTaker {
  const { callerLimits, quotas, usage, defaultRate, defaultBurst } = options
  const callers = new WeakMap<ApiKey, Caller>()
  return (grant, access) => {
    const { id } = grant.key
    const refuse = (error: unknown) => {
      usage.of(id).refused++
      throw error
    }
    try {
      const taken = after(take(grant, access), (taken) => {
        usage.of(id).requests++
        return taken
      })
      return taken instanceof Promise ? taken.catch(refuse) : taken
    } catch (error) {
      return refuse(error)
    }
  }

  function take(grant: Grant, access: 'request' | 'stream'): TakenRequest | Promise<TakenRequest> {
    const caller = callerOf(grant)
    return after(callerLimits.takeRequest(caller), (headers) =>
      after(quotas.check(grant.key), () =>
        access === 'request'
          ? { headers }
          : after(callerLimits.openConnection(caller), (close) => ({ headers, close })),
      ),
    )
  }

  /** All tokens of a key share its limits. Each address has those of the key of all addresses. */
  function callerOf({ key, address }: Grant): Caller {
    const known = callers.get(key)
    const caller = known ?? limitsOf(key)
    if (!known) callers.set(key, caller)
    return address === undefined ? caller : { ...caller, by: 'ip', id: `ip:${address}` }
  }

  function limitsOf({ id, rate = defaultRate, burst = defaultBurst, connections }: ApiKey): Caller {
    return { by: 'key', id, rate, burst, connections }
  }
}
