import { errorReason } from '@headrace/queue'
import type { Logger } from 'pino'
import {
  attempt,
  type KnownEndpoint,
  type KnownEndpoints,
  longestWaitMs,
  throwWhereAllRefuse,
} from './known-endpoints.ts'

export interface EachRequest<Client, T> {
  /** Asks an endpoint, and throws where its answer cannot be used. */
  send(client: Client, signal: AbortSignal): Promise<T>
  readonly signal: AbortSignal
  /**
   * Ask one after the other, in order, those last that were passed over, and no more once one has an answer that can be
   * used. Default: all side by side, to the last.
   */
  readonly untilAnswered?: boolean
}

/** What one of several endpoints says when each is asked once. */
export type EndpointReply<T> = { readonly endpoint: string } & (
  | { readonly kind: 'answered'; readonly answer: T }
  /** It has answered, and `send` could not use the answer. */
  | { readonly kind: 'wrong'; readonly error: unknown }
  /** It is away, or has just failed: what it would say is not known. The error is its last one. */
  | { readonly kind: 'silent'; readonly error: unknown }
)

/** Asks each endpoint once. For one that is full it waits, and for one that is away only where all of them are. */
export async function requestEach<Client, T>(
  known: KnownEndpoints<Client>,
  { send, signal, untilAnswered = false }: EachRequest<Client, T>,
  log: Logger,
): Promise<EndpointReply<T>[]> {
  await untilOneIsThere(known, signal)
  const ask = (endpoint: KnownEndpoint<Client>) => askOnce(known, endpoint, { send, signal, log })
  const replies: (EndpointReply<T> | undefined)[] = []
  if (untilAnswered) {
    const trustedFirst = known.all.toSorted((one, other) => one.state.passedOverMs() - other.state.passedOverMs())
    for (const endpoint of trustedFirst) {
      const reply = await ask(endpoint)
      replies.push(reply)
      if (reply?.kind === 'answered') break
    }
  } else replies.push(...(await Promise.all(known.all.map(ask))))
  throwWhereAllRefuse(known)
  return replies.filter((reply) => reply !== undefined)
}

async function untilOneIsThere<Client>(known: KnownEndpoints<Client>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    throwWhereAllRefuse(known)
    const serving = known.all.filter(({ state }) => !state.isRefused)
    // Before it is seen who is there: a rest that ends in between would be taken for none, and waited for without end.
    const restsMs = serving.map(({ state }) => state.restLeftMs())
    if (serving.some(({ state }) => !state.isAway())) return
    if (restsMs.every((ms) => ms > longestWaitMs)) return
    await known.turns.wait({ signal, ms: Math.min(...restsMs.map((ms) => ms || Infinity)) })
  }
}

/** `undefined` where the endpoint refuses this client. */
async function askOnce<Client, T>(
  known: KnownEndpoints<Client>,
  endpoint: KnownEndpoint<Client>,
  { send, signal, log }: Pick<EachRequest<Client, T>, 'send' | 'signal'> & { readonly log: Logger },
): Promise<EndpointReply<T> | undefined> {
  const { name, state } = endpoint
  for (;;) {
    signal.throwIfAborted()
    if (state.isRefused) return undefined
    if (state.isAway()) return { endpoint: name, kind: 'silent', error: endpoint.error }
    if (state.isOpen()) break
    await known.turns.wait({ signal, ms: Infinity })
  }
  const tried = await attempt(known, endpoint, send, signal)
  if (tried.kind === 'answered') return { endpoint: name, kind: 'answered', answer: tried.answer }
  if (tried.kind === 'refused') {
    log.warn({ endpoint: name, reason: errorReason(tried.error) }, 'endpoint left out')
    return undefined
  }
  return { endpoint: name, kind: tried.kind === 'wrong' ? 'wrong' : 'silent', error: tried.error }
}
