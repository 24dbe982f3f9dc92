import { errorReason } from '@headrace/queue'
import type { EndpointState } from './endpoint-state.ts'
import { attempt, type KnownEndpoints, pause, throwIfAllRefuse, waitForEndpoint } from './known-endpoints.ts'

export interface EndpointRequest<Client, T> {
  /** The name of the request in the log. */
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

const firstPauseMs = 100
const longestPauseMs = 5000

/** @param attempts - How often each endpoint may fail. */
export async function requestOne<Client, T>(
  known: KnownEndpoints<Client>,
  { what, send, signal, avoid }: EndpointRequest<Client, T>,
  attempts: number,
): Promise<T> {
  const { all, log } = known
  const failures = new Map(
    all.map((one): [EndpointState<Client>, Failures] => [one, { own: 0, answers: -1, backOffs: one.totalBackOffs }]),
  )
  const timesOf = (one: EndpointState<Client>): number => failuresAt(one, failures.get(one)!)
  const remaining = () => all.filter((one) => !one.isRefused && timesOf(one) < attempts)
  let last: { readonly error: unknown } | undefined
  for (;;) {
    signal.throwIfAborted()
    throwIfAllRefuse(known)
    const left = remaining()
    // Read before `isOpen`: a back-off that ends in between would be waited for without end.
    const backOffsMs = left.map((one) => one.avoidedMs())
    const rank = (one: EndpointState<Client>): number => (one.client === avoid ? attempts : timesOf(one))
    const [chosen] = left
      .filter((one, index) => backOffsMs[index] === 0 && one.isOpen())
      .toSorted((one, other) => rank(one) - rank(other))
    if (!chosen) {
      if (await waitForEndpoint(known, backOffsMs, signal)) continue
      throw (last ?? all.find(({ isRefused }) => !isRefused)!).error
    }
    const tried = await attempt(known, chosen, send, signal)
    if (tried.kind === 'answered') return tried.answer
    last = tried
    countFailure(chosen, failures.get(chosen)!, tried.asksForPause)
    if (remaining().length === 0) continue
    log.warn({ endpoint: chosen.name, what, failure: tried.kind, reason: errorReason(tried.error) }, 'asking again')
    const isAskedEverywhere = all.every((one) => one.isRefused || timesOf(one) > 0)
    if (isAskedEverywhere) await pause(pauseAfter(timesOf(chosen)), signal)
  }
}

/** Only one request at a time tests a recovering endpoint; its failure counts for all that wait. */
function failuresAt({ totalBackOffs, backOffs }: EndpointState<unknown>, failures: Failures): number {
  return Math.max(failures.own, totalBackOffs > failures.backOffs ? backOffs : 0)
}

/** A requested pause is no failure while other requests are answered. */
function countFailure({ answers }: EndpointState<unknown>, failures: Failures, asksForPause: boolean): void {
  const isWaiting = asksForPause && failures.own > 0 && answers > failures.answers
  if (!isWaiting) failures.own++
  failures.answers = answers
}

function pauseAfter(times: number): number {
  return Math.min(firstPauseMs * 2 ** (times - 1), longestPauseMs) * (0.5 + Math.random() / 2)
}
