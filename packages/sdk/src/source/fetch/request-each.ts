import { errorReason } from '@headrace/queue'
import type { Logger } from 'pino'
import { attempt, type KnownEndpoint, type KnownEndpoints, longestWaitMs, throwIfAllRefuse } from './known-endpoints.ts'

export interface EachRequest<Client, T> {
  send(client: Client, signal: AbortSignal): Promise<T>
  readonly signal: AbortSignal
  /** Ask one after the other, avoided ones last, until one answers. Default: all concurrently. */
  readonly untilAnswered?: boolean
}

export type EndpointReply<T> = { readonly endpoint: string } & (
  | { readonly kind: 'answered'; readonly answer: T }
  /** `send` could not use its answer. */
  | { readonly kind: 'wrong'; readonly error: unknown }
  /** It is backing off, or has just failed. `error` is its last one. */
  | { readonly kind: 'silent'; readonly error: unknown }
)

export async function requestEach<Client, T>(
  known: KnownEndpoints<Client>,
  { send, signal, untilAnswered = false }: EachRequest<Client, T>,
  log: Logger,
): Promise<EndpointReply<T>[]> {
  await waitForAvailable(known, signal)
  const ask = (endpoint: KnownEndpoint<Client>) => askOnce(known, endpoint, { send, signal, log })
  const replies: (EndpointReply<T> | undefined)[] = []
  if (untilAnswered) {
    const trustedFirst = known.all.toSorted((one, other) => one.state.avoidedMs() - other.state.avoidedMs())
    for (const endpoint of trustedFirst) {
      const reply = await ask(endpoint)
      replies.push(reply)
      if (reply?.kind === 'answered') break
    }
  } else replies.push(...(await Promise.all(known.all.map(ask))))
  throwIfAllRefuse(known)
  return replies.filter((reply) => reply !== undefined)
}

async function waitForAvailable<Client>(known: KnownEndpoints<Client>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    throwIfAllRefuse(known)
    const serving = known.all.filter(({ state }) => !state.isRefused)
    // Read before `isBackingOff`: a back-off that ends in between would be waited for without end.
    const backOffsMs = serving.map(({ state }) => state.backOffLeftMs())
    if (serving.some(({ state }) => !state.isBackingOff())) return
    if (backOffsMs.every((ms) => ms > longestWaitMs)) return
    await known.condition.wait({ signal, ms: Math.min(...backOffsMs.map((ms) => ms || Infinity)) })
  }
}

async function askOnce<Client, T>(
  known: KnownEndpoints<Client>,
  endpoint: KnownEndpoint<Client>,
  { send, signal, log }: Pick<EachRequest<Client, T>, 'send' | 'signal'> & { readonly log: Logger },
): Promise<EndpointReply<T> | undefined> {
  const { name, state } = endpoint
  for (;;) {
    signal.throwIfAborted()
    if (state.isRefused) return undefined
    if (state.isBackingOff()) return { endpoint: name, kind: 'silent', error: endpoint.error }
    if (state.isOpen()) break
    await known.condition.wait({ signal, ms: Infinity })
  }
  const tried = await attempt(known, endpoint, send, signal)
  if (tried.kind === 'answered') return { endpoint: name, kind: 'answered', answer: tried.answer }
  if (tried.kind === 'refused') {
    log.warn({ endpoint: name, reason: errorReason(tried.error) }, 'endpoint refuses this client')
    return undefined
  }
  return { endpoint: name, kind: tried.kind === 'wrong' ? 'wrong' : 'silent', error: tried.error }
}
