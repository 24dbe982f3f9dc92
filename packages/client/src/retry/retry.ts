import { UnavailableError } from '../errors.ts'
import { backoffMs } from './backoff.ts'
import { sleep } from './sleep.ts'

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
