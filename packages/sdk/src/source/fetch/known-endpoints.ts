import { unlessAborted } from '@headrace/queue'
import type { EndpointFailure } from './endpoint-failure.ts'
import type { EndpointState } from './endpoint-state.ts'

export interface KnownEndpoint<Client> {
  readonly name: string
  readonly client: Client
  readonly state: EndpointState
  error: unknown
}

export interface KnownEndpoints<Client> {
  readonly all: readonly KnownEndpoint<Client>[]
  judge(error: unknown): EndpointFailure
  readonly condition: Condition
}

/** An endpoint that asks for a longer pause is not waited for. */
export const longestWaitMs = 60_000

export type Attempt<T> =
  | { readonly kind: 'answered'; readonly answer: T }
  | {
      readonly kind: Exclude<EndpointFailure['kind'], 'final'>
      readonly error: unknown
      readonly asksForPause: boolean
    }

export async function attempt<Client, T>(
  { judge, condition }: KnownEndpoints<Client>,
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
    return {
      kind: failure.kind,
      error,
      asksForPause: failure.kind === 'overloaded' && failure.retryAfterMs !== undefined,
    }
  } finally {
    condition.notifyAll()
  }
}

export function throwIfAllRefuse<Client>({ all }: KnownEndpoints<Client>): void {
  if (all.every(({ state }) => state.isRefused)) throw all.at(-1)!.error
}

interface Condition {
  /** Resolves at the next notification, or after `ms`. Rejects at an abort. */
  wait(options: WaitOptions): Promise<void>
  pause(options: WaitOptions): Promise<void>
  notifyAll(): void
}

interface WaitOptions {
  readonly signal: AbortSignal
  readonly ms: number
}

/** The longest delay of a timer. */
const longestMs = 2 ** 31 - 1

export function createCondition(): Condition {
  let change = Promise.withResolvers<void>()
  return {
    wait: (options) => waitFor(change.promise, options),
    pause: (options) => waitFor(new Promise(() => {}), options),
    notifyAll() {
      change.resolve()
      change = Promise.withResolvers<void>()
    },
  }
}

async function waitFor(change: Promise<void>, { signal, ms }: WaitOptions): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, Math.min(ms, longestMs))
  await unlessAborted(Promise.race([change, over]), signal).finally(() => clearTimeout(timer))
  signal.throwIfAborted()
}
