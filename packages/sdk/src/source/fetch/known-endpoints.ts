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
  /** Notified at the end of each request. */
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
  let waiting = new Set<() => void>()
  return {
    wait: (options) => addWaiter(waiting, options),
    pause: (options) => addWaiter(new Set(), options),
    notifyAll() {
      const woken = waiting
      waiting = new Set()
      for (const wake of woken) wake()
    },
  }
}

function addWaiter(waiting: Set<() => void>, { signal, ms }: WaitOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(wake, Math.min(ms, longestMs))
    function wake(): void {
      cleanUp()
      resolve()
    }
    function abort(): void {
      cleanUp()
      reject(signal.reason)
    }
    function cleanUp(): void {
      waiting.delete(wake)
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
    waiting.add(wake)
    signal.addEventListener('abort', abort)
  })
}
