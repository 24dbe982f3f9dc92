import { errorReason } from '@headrace/queue'
import type { Logger } from 'pino'
import { attempt, type KnownEndpoint, type KnownEndpoints, longestWaitMs, throwIfAllRefuse } from './known-endpoints.ts'

export interface EndpointRequest<Client, T> {
  /** For the log. */
  readonly what: string
  send(client: Client, signal: AbortSignal): Promise<T>
  readonly signal: AbortSignal
  /** An endpoint that is asked only while no other one has capacity. */
  readonly avoid?: Client | undefined
}

interface Failures {
  own: number
  /** The endpoint's answers to other requests at the last failure of this one. */
  answers: number
  /** The endpoint's back-offs in total when the request began. */
  readonly backOffs: number
}

interface Limits {
  readonly attempts: number
  readonly log: Logger
}

const firstPauseMs = 100
const longestPauseMs = 5000

export async function requestOne<Client, T>(
  known: KnownEndpoints<Client>,
  { what, send, signal, avoid }: EndpointRequest<Client, T>,
  { attempts, log }: Limits,
): Promise<T> {
  const failures = new Map(known.all.map((one) => [one, beginCounting(one)]))
  const timesOf = (one: KnownEndpoint<Client>): number => failuresAt(one, failures.get(one)!)
  const remaining = () => known.all.filter((one) => !one.state.isRefused && timesOf(one) < attempts)
  let last: { readonly error: unknown } | undefined
  for (;;) {
    signal.throwIfAborted()
    throwIfAllRefuse(known)
    const left = remaining()
    // Read before `isOpen`: a back-off that ends in between would be waited for without end.
    const backOffsMs = left.map(({ state }) => state.avoidedMs())
    const rank = (one: KnownEndpoint<Client>): number => (one.client === avoid ? attempts : timesOf(one))
    const [chosen] = left
      .filter(({ state }, index) => backOffsMs[index] === 0 && state.isOpen())
      .toSorted((one, other) => rank(one) - rank(other))
    if (!chosen) {
      if (backOffsMs.every((ms) => ms > longestWaitMs)) throw (last ?? firstServing(known)).error
      await known.condition.wait({ signal, ms: Math.min(...backOffsMs.map((ms) => ms || Infinity)) })
      continue
    }
    const tried = await attempt(known, chosen, send, signal)
    if (tried.kind === 'answered') return tried.answer
    last = tried
    countFailure(chosen, failures.get(chosen)!, tried.asksForPause)
    if (remaining().length === 0) continue
    log.warn({ endpoint: chosen.name, what, failure: tried.kind, reason: errorReason(tried.error) }, 'asking again')
    const isAskedEverywhere = known.all.every((one) => one.state.isRefused || timesOf(one) > 0)
    if (isAskedEverywhere) await known.condition.pause({ signal, ms: pauseAfter(timesOf(chosen)) })
  }
}

function beginCounting({ state }: KnownEndpoint<unknown>): Failures {
  return { own: 0, answers: -1, backOffs: state.totalBackOffs }
}

/** Only one request at a time tests a recovering endpoint; its failure counts for all that wait. */
function failuresAt({ state }: KnownEndpoint<unknown>, { own, backOffs }: Failures): number {
  return Math.max(own, state.totalBackOffs > backOffs ? state.backOffs : 0)
}

/** A requested pause is no failure while other requests are answered. */
function countFailure({ state }: KnownEndpoint<unknown>, failures: Failures, asksForPause: boolean): void {
  const isWaiting = asksForPause && failures.own > 0 && state.answers > failures.answers
  if (!isWaiting) failures.own++
  failures.answers = state.answers
}

function firstServing<Client>({ all }: KnownEndpoints<Client>): KnownEndpoint<Client> {
  return all.find(({ state }) => !state.isRefused)!
}

function pauseAfter(times: number): number {
  return Math.min(firstPauseMs * 2 ** (times - 1), longestPauseMs) * (0.5 + Math.random() / 2)
}
