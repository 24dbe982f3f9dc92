import { UnavailableError } from './errors.ts'

/** A failure that is met with another try. */
export interface RetryNotice {
  readonly error: UnavailableError
  /** Failures in a row, this one included. */
  readonly attempt: number
  /** The wait before the next try, in ms. */
  readonly delayMs: number
}

export interface Retry {
  /** Waits until the next try is due. Throws the error where another try is pointless, or has been for too long. */
  after(error: unknown): Promise<void>
  /** Something has come: the next failure is the first one. */
  succeeded(): void
}

export interface RetryOptions {
  readonly retryForMs: number
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** A try that took longer than this was interrupted: the device was asleep, and tried nothing then. */
const longestTryMs = 60_000

/** Counts the failures in a row of one reader. */
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
      triedMs = attempt++ === 0 ? 0 : triedMs + Math.min(now - failedAt, waitedMs + longestTryMs)
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
 * The wait before a try, in ms: a random time below a bound that doubles with each failure, so that clients which lost
 * the same gateway do not come back at once.
 *
 * @param attempt - 1 for the first try after a failure.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(capMs, baseMs * 2 ** (attempt - 1))
}

/** Waits. Throws the signal's reason as soon as there is one. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })

    function stop(): void {
      clearTimeout(timer)
      reject(signal?.reason)
    }
  })
}

/** Does work under a signal of its own, which is aborted with the caller's, and when the time is over. */
export async function withDeadline<Result>(
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  const timer = setTimeout(() => {
    controller.abort(new UnavailableError('service_unavailable', `The service gave no answer in ${ms / 1000} s.`))
  }, ms)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
