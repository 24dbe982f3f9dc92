import { type AdaptiveLimit, type AdaptiveLimitOptions, createAdaptiveLimit, type LoadSign } from './adaptive-limit.ts'
import type { EndpointFailure } from './endpoint-failure.ts'

/** How an endpoint does. */
export interface EndpointHealth {
  readonly name: string
  /**
   * `resting`: it has failed, or asked for it. It is not asked for a while, and then tried by one request. `refused`: not
   * asked any more.
   */
  readonly state: 'serving' | 'resting' | 'refused'
  /** How often it has begun to rest since it last answered. */
  readonly rests: number
  /** Requests that may run side by side now, and those that do. */
  readonly limit: number
  readonly running: number
  /** Requests that were answered, and those that were not, by why. */
  readonly answers: number
  readonly failures: Readonly<Record<Exclude<EndpointFailure['kind'], 'final'>, number>>
  /** Time of an answer in ms, averaged over the last ones. */
  readonly latencyMs: number | undefined
}

/** One of several endpoints, and what its answers have told. */
export interface EndpointState {
  readonly limit: AdaptiveLimit
  /** Whether another request may be sent to it at this moment. */
  isOpen(): boolean
  /** Whether it rests at this moment, or is being tried since it has failed. Others may be answered while it rests. */
  isAway(): boolean
  readonly isRefused: boolean
  /** How much longer it rests, in ms; 0 where it does not. */
  restLeftMs(): number
  /** Requests that it has answered. */
  readonly answers: number
  /** How often it has begun to rest: since it last answered, and ever. */
  readonly rests: number
  readonly restsEver: number
  /** Counts a request until the function it returns is called, once, with what went wrong. */
  begin(): (failure?: EndpointFailure) => void
  /** Notes that it asks to be left alone for some time, in ms: see `Endpoints.notePause`. */
  pause(ms: number): void
  /** Notes that an answer was wrong: see `Endpoints.reject`. `false` where it is passed over already. */
  reject(): boolean
  /** For how much longer it is passed over, in ms: while it rests, and since an answer was rejected. */
  passedOverMs(): number
  health(): EndpointHealth
}

const firstRestMs = 500
const longestRestMs = 60_000
/** No endpoint is believed that asks for more. */
const longestAskedMs = 3_600_000

export function createEndpointState(
  name: string,
  { now, ...limits }: AdaptiveLimitOptions & { readonly now: () => number },
): EndpointState {
  const limit = createAdaptiveLimit({ ...limits, now })
  const failures = { overloaded: 0, unavailable: 0, wrong: 0, refused: 0 }
  let answers = 0
  let isRefused = false
  let restUntil = Number.NEGATIVE_INFINITY
  /** While there are any, one request at a time tries whether it is back. */
  let rests = 0
  let restsEver = 0
  let rejectedUntil = Number.NEGATIVE_INFINITY
  /** Rejected answers, each soon after the end of what the one before caused. */
  let rejections = 0
  let rejectedMs = 0

  function fail(failure: EndpointFailure, begunIn: number): LoadSign {
    if (failure.kind === 'final') return 'neutral'
    failures[failure.kind]++
    if (failure.kind === 'refused') isRefused = true
    else if (failure.kind === 'wrong') rests = 0
    else rest(begunIn, failure.kind === 'overloaded' ? failure.retryAfterMs : undefined)
    return failure.kind === 'overloaded' ? 'overloaded' : 'neutral'
  }

  function rest(begunIn: number, askedMs: number | undefined): void {
    // What was under way when a rest began tells of the same failure.
    const isNew = begunIn === restsEver
    const ms = askedMs ?? (isNew ? Math.min(firstRestMs * 2 ** rests, longestRestMs) : 0)
    if (isNew) {
      rests++
      restsEver++
    }
    pause(ms)
  }

  function pause(ms: number): void {
    restUntil = Math.max(restUntil, now() + Math.min(ms, longestAskedMs))
  }

  const isOpen = (): boolean => !isRefused && restUntil <= now() && limit.running < (rests > 0 ? 1 : limit.limit)
  const isAway = (): boolean => restUntil > now() || (rests > 0 && !isOpen())

  return {
    limit,
    isOpen,
    isAway,
    get isRefused() {
      return isRefused
    },
    get answers() {
      return answers
    },
    get rests() {
      return rests
    },
    get restsEver() {
      return restsEver
    },
    restLeftMs: () => Math.max(0, restUntil - now()),
    passedOverMs: () => Math.max(0, Math.max(restUntil, rejectedUntil) - now()),
    pause,
    reject() {
      const time = now()
      if (rejectedUntil > time) return false
      rejections = time - rejectedUntil < rejectedMs ? rejections + 1 : 0
      rejectedMs = Math.min(firstRestMs * 2 ** rejections, longestRestMs)
      rejectedUntil = time + rejectedMs
      return true
    },
    begin() {
      const end = limit.begin()
      const begunIn = restsEver
      return (failure) => {
        if (failure) return end(fail(failure, begunIn))
        answers++
        rests = 0
        end('good')
      }
    },
    health: () => ({
      name,
      state: isRefused ? 'refused' : isAway() ? 'resting' : 'serving',
      rests,
      limit: limit.limit,
      running: limit.running,
      answers,
      failures: { ...failures },
      latencyMs: limit.latencyMs,
    }),
  }
}
