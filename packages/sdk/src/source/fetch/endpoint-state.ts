import { AdaptiveLimit, type AdaptiveLimitOptions, type LoadSign } from './adaptive-limit.ts'
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

export interface Endpoint<Client> {
  /** For logs and metrics, so it contains no key. Equal names get their position appended. */
  readonly name: string
  readonly client: Client
}

const firstBackOffMs = 500
const longestBackOffMs = 60_000
/** Longer pauses that an endpoint asks for are shortened to this. */
const longestPauseMs = 3_600_000

export class EndpointState<Client> implements Endpoint<Client> {
  readonly name: string
  readonly client: Client
  readonly limit: AdaptiveLimit
  /** The last error of the endpoint. */
  error: unknown
  isRefused = false
  answers = 0
  /** Number of pauses since the last answer of the endpoint. Above 0, only one request at a time is sent. */
  backOffs = 0
  totalBackOffs = 0
  readonly #now: () => number
  readonly #failures = { overloaded: 0, unavailable: 0, wrong: 0, refused: 0 }
  #backOffUntil = Number.NEGATIVE_INFINITY
  #rejectedUntil = Number.NEGATIVE_INFINITY
  /** Rejected answers in a row, each soon after the end of the avoidance that the one before caused. */
  #rejections = 0
  #rejectedMs = 0

  constructor({ name, client }: Endpoint<Client>, limits: AdaptiveLimitOptions & { readonly now: () => number }) {
    this.name = name
    this.client = client
    this.limit = new AdaptiveLimit(limits)
    this.#now = limits.now
  }

  isOpen(): boolean {
    const limit = this.backOffs > 0 ? 1 : this.limit.limit
    return !this.isRefused && this.backOffLeftMs() === 0 && this.limit.running < limit
  }

  /** Whether it is backing off, or one request is trying it after that. */
  isBackingOff(): boolean {
    return this.backOffLeftMs() > 0 || (this.backOffs > 0 && !this.isOpen())
  }

  backOffLeftMs(): number {
    return Math.max(0, this.#backOffUntil - this.#now())
  }

  avoidedMs(): number {
    return Math.max(this.backOffLeftMs(), this.#rejectedUntil - this.#now())
  }

  begin(): (failure?: EndpointFailure) => void {
    const end = this.limit.begin()
    const startedIn = this.totalBackOffs
    return (failure) => {
      if (failure) return end(this.#fail(failure, startedIn))
      this.answers++
      this.backOffs = 0
      end('good')
    }
  }

  pause(ms: number): void {
    this.#backOffUntil = Math.max(this.#backOffUntil, this.#now() + Math.min(ms, longestPauseMs))
  }

  /** See `Endpoints.reject`. Returns `false` where it is avoided already. */
  reject(): boolean {
    const time = this.#now()
    if (this.#rejectedUntil > time) return false
    this.#rejections = time - this.#rejectedUntil < this.#rejectedMs ? this.#rejections + 1 : 0
    this.#rejectedMs = backOffMs(this.#rejections)
    this.#rejectedUntil = time + this.#rejectedMs
    return true
  }

  health(): EndpointHealth {
    const { name, backOffs, answers } = this
    const { limit, running, latencyMs } = this.limit
    const state = this.isRefused ? 'refused' : this.isBackingOff() ? 'backing_off' : 'serving'
    return { name, state, backOffs, limit, running, answers, failures: { ...this.#failures }, latencyMs }
  }

  #fail(failure: EndpointFailure, startedIn: number): LoadSign {
    if (failure.kind === 'final') return 'neutral'
    this.#failures[failure.kind]++
    if (failure.kind === 'refused') this.isRefused = true
    else if (failure.kind === 'wrong') this.backOffs = 0
    else this.#backOff(startedIn, failure.kind === 'overloaded' ? failure.retryAfterMs : undefined)
    return failure.kind === 'overloaded' ? 'overloaded' : 'neutral'
  }

  #backOff(startedIn: number, requestedMs: number | undefined): void {
    // A request sent before the back-off began reports the same failure.
    const isNew = startedIn === this.totalBackOffs
    this.pause(requestedMs ?? (isNew ? backOffMs(this.backOffs) : 0))
    if (!isNew) return
    this.backOffs++
    this.totalBackOffs++
  }
}

function backOffMs(earlier: number): number {
  return Math.min(firstBackOffMs * 2 ** earlier, longestBackOffMs)
}
