import { type AdaptiveLimit, type AdaptiveLimitOptions, createAdaptiveLimit, type LoadSign } from './adaptive-limit.ts'
import type { EndpointFailure } from './endpoint-failure.ts'

export interface EndpointHealth {
  readonly name: string
  /** `backing_off`: it has failed or asked for a pause, after which one request tries it. `refused`: it is not used again. */
  readonly state: 'serving' | 'backing_off' | 'refused'
  /** Pauses since its last answer. */
  readonly backOffs: number
  readonly limit: number
  readonly running: number
  readonly answers: number
  readonly failures: Readonly<Record<Exclude<EndpointFailure['kind'], 'final'>, number>>
  readonly latencyMs: number | undefined
}

export interface EndpointState {
  readonly limit: AdaptiveLimit
  isOpen(): boolean
  /** Whether it is backing off, or one request is trying it after that. */
  isBackingOff(): boolean
  readonly isRefused: boolean
  backOffLeftMs(): number
  readonly answers: number
  readonly backOffs: number
  readonly totalBackOffs: number
  begin(): (failure?: EndpointFailure) => void
  pause(ms: number): void
  /** See `Endpoints.reject`. Returns `false` where it is avoided already. */
  reject(): boolean
  avoidedMs(): number
  health(): EndpointHealth
}

const firstBackOffMs = 500
const longestBackOffMs = 60_000
/** Longer pauses that an endpoint asks for are shortened to this. */
const longestPauseMs = 3_600_000

export function createEndpointState(
  name: string,
  { now, ...limits }: AdaptiveLimitOptions & { readonly now: () => number },
): EndpointState {
  const limit = createAdaptiveLimit({ ...limits, now })
  const failures = { overloaded: 0, unavailable: 0, wrong: 0, refused: 0 }
  let answers = 0
  let isRefused = false
  let backOffUntil = Number.NEGATIVE_INFINITY
  /** Above 0, only one request at a time is sent. */
  let backOffs = 0
  let totalBackOffs = 0
  let rejectedUntil = Number.NEGATIVE_INFINITY
  /** Rejected answers in a row, each soon after the end of the avoidance that the one before caused. */
  let rejections = 0
  let rejectedMs = 0

  function fail(failure: EndpointFailure, startedIn: number): LoadSign {
    if (failure.kind === 'final') return 'neutral'
    failures[failure.kind]++
    if (failure.kind === 'refused') isRefused = true
    else if (failure.kind === 'wrong') backOffs = 0
    else backOff(startedIn, failure.kind === 'overloaded' ? failure.retryAfterMs : undefined)
    return failure.kind === 'overloaded' ? 'overloaded' : 'neutral'
  }

  function backOff(startedIn: number, requestedMs: number | undefined): void {
    // A request sent before the back-off began reports the same failure.
    const isNew = startedIn === totalBackOffs
    const ms = requestedMs ?? (isNew ? Math.min(firstBackOffMs * 2 ** backOffs, longestBackOffMs) : 0)
    if (isNew) {
      backOffs++
      totalBackOffs++
    }
    pause(ms)
  }

  function pause(ms: number): void {
    backOffUntil = Math.max(backOffUntil, now() + Math.min(ms, longestPauseMs))
  }

  const isOpen = (): boolean => !isRefused && backOffUntil <= now() && limit.running < (backOffs > 0 ? 1 : limit.limit)
  const isBackingOff = (): boolean => backOffUntil > now() || (backOffs > 0 && !isOpen())

  return {
    limit,
    isOpen,
    isBackingOff,
    get isRefused() {
      return isRefused
    },
    get answers() {
      return answers
    },
    get backOffs() {
      return backOffs
    },
    get totalBackOffs() {
      return totalBackOffs
    },
    backOffLeftMs: () => Math.max(0, backOffUntil - now()),
    avoidedMs: () => Math.max(0, Math.max(backOffUntil, rejectedUntil) - now()),
    pause,
    reject() {
      const time = now()
      if (rejectedUntil > time) return false
      rejections = time - rejectedUntil < rejectedMs ? rejections + 1 : 0
      rejectedMs = Math.min(firstBackOffMs * 2 ** rejections, longestBackOffMs)
      rejectedUntil = time + rejectedMs
      return true
    },
    begin() {
      const end = limit.begin()
      const startedIn = totalBackOffs
      return (failure) => {
        if (failure) return end(fail(failure, startedIn))
        answers++
        backOffs = 0
        end('good')
      }
    },
    health: () => ({
      name,
      state: isRefused ? 'refused' : isBackingOff() ? 'backing_off' : 'serving',
      backOffs,
      limit: limit.limit,
      running: limit.running,
      answers,
      failures: { ...failures },
      latencyMs: limit.latencyMs,
    }),
  }
}
