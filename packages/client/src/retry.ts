import { UnavailableError } from './errors.ts'

export interface RetryNotice {
  readonly error: UnavailableError
  /** Number of failed attempts in a row, including this one. */
  readonly attempt: number
  readonly delayMs: number
}

export interface Retry {
  /** Waits for the next attempt. Throws the error if a retry is useless, or retries have failed for `retryForMs`. */
  after(error: unknown): Promise<void>
  succeeded(): void
}

export interface RetryOptions {
  readonly retryForMs: number
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Maximum time that one attempt adds, in ms. If an attempt took longer, the device was asleep. */
const longestAttemptMs = 60_000

export function createRetry({ retryForMs, onRetry, signal }: RetryOptions): Retry {
  let attempt = 0
  let triedMs = 0
  let failedAt = 0
  let waitedMs = 0
  return {
    async after(error) {
      signal?.throwIfAborted()
      if (!(error instanceof UnavailableError)) throw error
      const now = performance.now()
      triedMs = attempt++ === 0 ? 0 : triedMs + Math.min(now - failedAt, waitedMs + longestAttemptMs)
      failedAt = now
      const delayMs = Math.max(error.retryAfterMs ?? 0, 0) + backoffMs(attempt)
      if (triedMs + delayMs > retryForMs) throw error
      waitedMs = delayMs
      onRetry?.({ error, attempt, delayMs })
      await sleep(delayMs, signal)
    },
    succeeded() {
      attempt = 0
    },
  }
}

const baseMs = 500
const capMs = 30_000

/**
 * Exponential backoff with full jitter, in ms, so that clients of a failed gateway do not reconnect at once. `attempt`
 * is from 1.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(capMs, baseMs * 2 ** (attempt - 1))
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = () => reject(signal?.reason)
  const timer = setTimeout(resolve, ms)
  signal?.addEventListener('abort', stop)
  await promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  })
}

/** The signal of `work` is aborted with the caller's signal or at the deadline. */
export async function withDeadline<Result>(
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  const timer = setTimeout(() => {
    controller.abort(new UnavailableError('service_unavailable', `The gateway did not answer within ${ms / 1000} s.`))
  }, ms)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
