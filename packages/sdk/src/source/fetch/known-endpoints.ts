import type { EndpointFailure } from './endpoint-failure.ts'
import type { EndpointState } from './endpoint-state.ts'
import type { Turns } from './turns.ts'

/** One of several endpoints, with what its answers have told. */
export interface KnownEndpoint<Client> {
  readonly name: string
  readonly client: Client
  readonly state: EndpointState
  /** Of its last failure. */
  error: unknown
}

/** Several endpoints, as all requests to them know them. */
export interface KnownEndpoints<Client> {
  readonly all: readonly KnownEndpoint<Client>[]
  judge(error: unknown): EndpointFailure
  /** Is told of each request that has ended. */
  readonly turns: Turns
}

/** An endpoint that asks for a longer rest refuses for now: it is not waited for. */
export const longestWaitMs = 60_000

/** What came of asking one endpoint once. */
export type Attempt<T> =
  | { readonly kind: 'answered'; readonly answer: T }
  | { readonly kind: Exclude<EndpointFailure['kind'], 'final'>; readonly error: unknown; readonly isPaced: boolean }

/**
 * Asks an endpoint that is open, once.
 *
 * @throws what asking again does not mend, and the reason of an abort.
 */
export async function attempt<Client, T>(
  { judge, turns }: KnownEndpoints<Client>,
  endpoint: KnownEndpoint<Client>,
  send: (client: Client, signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<Attempt<T>> {
  const end = endpoint.state.begin()
  try {
    const answer = await send(endpoint.client, signal)
    end()
    return { kind: 'answered', answer }
  } catch (error) {
    const failure: EndpointFailure = signal.aborted ? { kind: 'final' } : judge(error)
    end(failure)
    signal.throwIfAborted()
    if (failure.kind === 'final') throw error
    endpoint.error = error
    return { kind: failure.kind, error, isPaced: failure.kind === 'overloaded' && failure.retryAfterMs !== undefined }
  } finally {
    turns.change()
  }
}

/** Throws the refusal where every endpoint refuses this client. */
export function throwWhereAllRefuse<Client>({ all }: KnownEndpoints<Client>): void {
  if (all.every(({ state }) => state.isRefused)) throw all.at(-1)!.error
}
