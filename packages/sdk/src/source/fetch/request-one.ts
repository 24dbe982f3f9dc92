import { errorReason } from '@headrace/queue'
import type { Logger } from 'pino'
import {
  attempt,
  type KnownEndpoint,
  type KnownEndpoints,
  longestWaitMs,
  throwWhereAllRefuse,
} from './known-endpoints.ts'

export interface EndpointRequest<Client, T> {
  /** What is asked for, as it is to be seen in the log. */
  readonly what: string
  /** Asks an endpoint, and throws where its answer cannot be used. */
  send(client: Client, signal: AbortSignal): Promise<T>
  readonly signal: AbortSignal
  /** This one is asked only while no other one has room. */
  readonly avoid?: Client | undefined
}

/** What a request knows of its failures at an endpoint. */
interface Failures {
  own: number
  /** What the endpoint had answered to others by the last one of its own. */
  answers: number
  /** How often the endpoint had begun to rest when the request began. */
  readonly rests: number
}

interface Limits {
  /** How often one endpoint is asked for one thing. */
  readonly attempts: number
  readonly log: Logger
}

const firstPauseMs = 100
const longestPauseMs = 5000

/**
 * Asks the first endpoint that has room, and others, or after a pause the same one again, until one has an answer that
 * can be used.
 */
export async function requestOne<Client, T>(
  known: KnownEndpoints<Client>,
  { what, send, signal, avoid }: EndpointRequest<Client, T>,
  { attempts, log }: Limits,
): Promise<T> {
  const failures = new Map(known.all.map((one) => [one, beginCounting(one)]))
  const timesOf = (one: KnownEndpoint<Client>): number => failuresAt(one, failures.get(one)!)
  const leftToAsk = () => known.all.filter((one) => !one.state.isRefused && timesOf(one) < attempts)
  let last: { readonly error: unknown } | undefined
  for (;;) {
    signal.throwIfAborted()
    throwWhereAllRefuse(known)
    const left = leftToAsk()
    // Before it is seen who is open: a rest that ends in between would be taken for none, and waited for without end.
    const restsMs = left.map(({ state }) => state.passedOverMs())
    const rank = (one: KnownEndpoint<Client>): number => (one.client === avoid ? attempts : timesOf(one))
    const [chosen] = left
      .filter(({ state }, index) => restsMs[index] === 0 && state.isOpen())
      .toSorted((one, other) => rank(one) - rank(other))
    if (!chosen) {
      if (restsMs.every((ms) => ms > longestWaitMs)) throw (last ?? firstToServe(known)).error
      await known.turns.wait({ signal, ms: Math.min(...restsMs.map((ms) => ms || Infinity)) })
      continue
    }
    const tried = await attempt(known, chosen, send, signal)
    if (tried.kind === 'answered') return tried.answer
    last = tried
    noteFailure(chosen, failures.get(chosen)!, tried.isPaced)
    if (leftToAsk().length === 0) continue
    log.warn({ endpoint: chosen.name, what, failure: tried.kind, reason: errorReason(tried.error) }, 'asking again')
    const isAskedEverywhere = known.all.every((one) => one.state.isRefused || timesOf(one) > 0)
    if (isAskedEverywhere) await known.turns.pause({ signal, ms: pauseAfter(timesOf(chosen)) })
  }
}

function beginCounting({ state }: KnownEndpoint<unknown>): Failures {
  return { own: 0, answers: -1, rests: state.restsEver }
}

/** While an endpoint is away one request at a time tries it: its failure is one of all that wait for the endpoint. */
function failuresAt({ state }: KnownEndpoint<unknown>, { own, rests }: Failures): number {
  return Math.max(own, state.restsEver > rests ? state.rests : 0)
}

/** To be asked to come again later, while others are answered, is no failure. */
function noteFailure({ state }: KnownEndpoint<unknown>, failures: Failures, isPaced: boolean): void {
  const isWaiting = isPaced && failures.own > 0 && state.answers > failures.answers
  if (!isWaiting) failures.own++
  failures.answers = state.answers
}

function firstToServe<Client>({ all }: KnownEndpoints<Client>): KnownEndpoint<Client> {
  return all.find(({ state }) => !state.isRefused)!
}

/** Growing, and not the same for all that failed together. */
function pauseAfter(times: number): number {
  return Math.min(firstPauseMs * 2 ** (times - 1), longestPauseMs) * (0.5 + Math.random() / 2)
}
