import { unlessAborted } from '@headrace/queue'
import type { Logger } from 'pino'
import type { EndpointFailure } from './endpoint-failure.ts'
import type { EndpointState } from './endpoint-state.ts'

export interface KnownEndpoints<Client> {
  readonly all: readonly EndpointState<Client>[]
  readonly changes: Condition
  readonly log: Logger
  judge(error: unknown): EndpointFailure
}

export type Attempt<T> =
  | { readonly kind: 'answered'; readonly answer: T }
  | {
      readonly kind: Exclude<EndpointFailure['kind'], 'final'>
      readonly error: unknown
      readonly asksForPause: boolean
    }

export async function attempt<Client, T>(
  { judge, changes }: KnownEndpoints<Client>,
  endpoint: EndpointState<Client>,
  send: (client: Client, signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<Attempt<T>> {
  const end = endpoint.begin()
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
    const asksForPause = failure.kind === 'overloaded' && failure.retryAfterMs !== undefined
    return { kind: failure.kind, error, asksForPause }
  } finally {
    changes.notifyAll()
  }
}

export function throwIfAllRefuse<Client>({ all }: KnownEndpoints<Client>): void {
  if (all.every(({ isRefused }) => isRefused)) throw all.at(-1)!.error
}

/** An endpoint that asks for a longer pause is not waited for. */
const longestWaitMs = 60_000

/**
 * Waits until the first of these pauses has ended, or an endpoint has changed; 0 is no pause. Returns `false` at once
 * where all are too long.
 */
export async function waitForEndpoint<Client>(
  { changes }: KnownEndpoints<Client>,
  pausesMs: readonly number[],
  signal: AbortSignal,
): Promise<boolean> {
  if (pausesMs.every((ms) => ms > longestWaitMs)) return false
  await changes.wait(Math.min(...pausesMs.map((ms) => ms || Infinity)), signal)
  return true
}

interface Condition {
  /** Resolves at the next notification, or after `ms`. Rejects at an abort. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  notifyAll(): void
}

export function createCondition(): Condition {
  let change = Promise.withResolvers<void>()
  return {
    wait: (ms, signal) => pause(ms, signal, change.promise),
    notifyAll() {
      change.resolve()
      change = Promise.withResolvers<void>()
    },
  }
}

/** The longest delay of a timer. */
const longestMs = 2 ** 31 - 1

/** Rejects at an abort. `change` ends it early. */
export async function pause(ms: number, signal: AbortSignal, change?: Promise<void>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, Math.min(ms, longestMs))
  await unlessAborted(change ? Promise.race([change, over]) : over, signal).finally(() => clearTimeout(timer))
  signal.throwIfAborted()
}
