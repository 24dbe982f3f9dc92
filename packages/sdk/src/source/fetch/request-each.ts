import { errorReason } from '@headrace/queue'
import type { EndpointState } from './endpoint-state.ts'
import { attempt, type KnownEndpoints, throwIfAllRefuse, waitForEndpoint } from './known-endpoints.ts'

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
  /** The endpoint has failed, and gets no request for now. `error` is its last error. */
  | { readonly kind: 'silent'; readonly error: unknown }
)

export async function requestEach<Client, T>(
  known: KnownEndpoints<Client>,
  request: EachRequest<Client, T>,
): Promise<EndpointReply<T>[]> {
  await waitForAvailable(known, request.signal)
  let replies: (EndpointReply<T> | undefined)[] = []
  if (request.untilAnswered) {
    for (const endpoint of known.all.toSorted((one, other) => one.avoidedMs() - other.avoidedMs())) {
      const reply = await askOnce(known, endpoint, request)
      replies.push(reply)
      if (reply?.kind === 'answered') break
    }
  } else replies = await Promise.all(known.all.map((endpoint) => askOnce(known, endpoint, request)))
  throwIfAllRefuse(known)
  return replies.filter((reply) => reply !== undefined)
}

async function waitForAvailable<Client>(known: KnownEndpoints<Client>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    throwIfAllRefuse(known)
    const serving = known.all.filter(({ isRefused }) => !isRefused)
    // Read before `isBackingOff`: a back-off that ends in between would be waited for without end.
    const backOffsMs = serving.map((endpoint) => endpoint.backOffLeftMs())
    if (serving.some((endpoint) => !endpoint.isBackingOff())) return
    if (!(await waitForEndpoint(known, backOffsMs, signal))) return
  }
}

async function askOnce<Client, T>(
  known: KnownEndpoints<Client>,
  endpoint: EndpointState<Client>,
  { send, signal }: EachRequest<Client, T>,
): Promise<EndpointReply<T> | undefined> {
  const { name } = endpoint
  for (;;) {
    signal.throwIfAborted()
    if (endpoint.isRefused) return undefined
    if (endpoint.isBackingOff()) return { endpoint: name, kind: 'silent', error: endpoint.error }
    if (endpoint.isOpen()) break
    await known.changes.wait(Infinity, signal)
  }
  const tried = await attempt(known, endpoint, send, signal)
  if (tried.kind === 'answered') return { endpoint: name, kind: 'answered', answer: tried.answer }
  if (tried.kind === 'refused') {
    known.log.warn({ endpoint: name, reason: errorReason(tried.error) }, 'endpoint refuses this client')
    return undefined
  }
  return { endpoint: name, kind: tried.kind === 'wrong' ? 'wrong' : 'silent', error: tried.error }
}
