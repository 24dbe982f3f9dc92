import { setTimeout as delay } from 'node:timers/promises'
import { HeadraceError, QueueUnavailableError, UserError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import { type Stopwatch, startStopwatch } from '../../stopwatch.ts'
import type { BrokerConnection } from './broker-connection.ts'
import {
  brokerErrorCodes,
  hasBrokerCode,
  isPermissionError,
  isTransient,
  NoAnswerError,
  ThrottledError,
} from './broker-error.ts'
import { explainDenial } from './security/permission.ts'

export interface RetryOptions {
  readonly what: string
  readonly budgetMs: number
  readonly brokers: string
  readonly signal: AbortSignal
  readonly log: Logger
  readonly principal?: string | undefined
}

export interface Attempt {
  /** Ended or abandoned. */
  readonly over: boolean
}

/**
 * The budget counts only time in which this process ran. At its end a running attempt is abandoned: it must send
 * nothing more, which `forAttempt` ensures, but what it has sent may still take effect.
 *
 * @throws {QueueUnavailableError} the budget is spent, or the signal was aborted.
 */
export async function retry<T>(options: RetryOptions, attempt: (current: Attempt) => Promise<T>): Promise<T> {
  const { budgetMs } = options
  using stopwatch = startStopwatch()
  let warned = false
  for (let tries = 0; ; tries++) {
    if (options.signal.aborted) throw closed(options.what)
    const current = { over: false }
    const expiry = createExpiry(stopwatch, budgetMs, options.signal)
    try {
      return await Promise.race([attempt(current), expiry.reached])
    } catch (error) {
      if (options.signal.aborted) throw closed(options.what, error)
      if (!isTransient(error)) throw asQueueError(error, options.what, options.principal)
      const { elapsedMs } = stopwatch
      const pauseMs = pauseBefore(tries + 1, error, elapsedMs)
      if (elapsedMs + pauseMs >= budgetMs) throw outOfBudget(options, error)
      if (!warned && elapsedMs > warnAfterMs) {
        warned = true
        options.log.warn({ what: options.what, reason: reasonOf(error) }, 'Kafka is not available, trying again')
      }
      await delay(pauseMs, undefined, { signal: options.signal }).catch(() => {})
    } finally {
      current.over = true
      expiry.cancel()
    }
  }
}

const warnAfterMs = 2_000

/** Refuses requests once the attempt is over. */
export function forAttempt(connection: BrokerConnection, attempt: Attempt): BrokerConnection {
  return {
    get usable() {
      return connection.usable
    },
    request(api, ...args) {
      if (attempt.over) return Promise.reject(new NoAnswerError('the attempt was abandoned'))
      return connection.request(api, ...args)
    },
    close: () => connection.close(),
  }
}

/** A busy or moving coordinator (14, 15, 16, 51) recovers within milliseconds, a dead broker does not. */
function pauseBefore(tries: number, error: unknown, elapsedMs: number): number {
  if (error instanceof ThrottledError) return error.throttleMs
  const busy = hasBrokerCode(
    error,
    brokerErrorCodes.CONCURRENT_TRANSACTIONS,
    brokerErrorCodes.COORDINATOR_LOAD_IN_PROGRESS,
    brokerErrorCodes.COORDINATOR_NOT_AVAILABLE,
    brokerErrorCodes.NOT_COORDINATOR,
  )
  const [first, longest] = busy ? [1, longestPause(elapsedMs)] : [20, 1_000]
  return Math.min(first * 2 ** Math.min(tries - 1, 10), longest) * (0.75 + Math.random() / 2)
}

export function longestPause(elapsedMs: number): number {
  return Math.min(Math.max(elapsedMs / 10, 50), 1_000)
}

function createExpiry(
  stopwatch: Stopwatch,
  budgetMs: number,
  signal: AbortSignal,
): { reached: Promise<never>; cancel: () => void } {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  const expire = (): void => reject(new NoAnswerError('no answer within the budget'))
  let timer: NodeJS.Timeout | undefined

  function check(): void {
    const remainingMs = budgetMs - stopwatch.elapsedMs
    if (remainingMs <= 0) expire()
    else timer = setTimeout(check, Math.ceil(remainingMs))
  }

  check()
  signal.addEventListener('abort', expire)
  const cancel = (): void => {
    clearTimeout(timer)
    signal.removeEventListener('abort', expire)
  }
  return { reached: promise, cancel }
}

export function asQueueError(error: unknown, what: string, principal?: string): Error {
  if (error instanceof HeadraceError) return error
  if (isPermissionError(error)) {
    return new UserError('permission_denied', explainDenial(error, what, principal), { cause: error })
  }
  if (isTransient(error)) return new QueueUnavailableError(`Kafka is not available for ${what}.`, { cause: error })
  return error instanceof Error ? error : new Error(String(error))
}

function outOfBudget({ what, budgetMs, brokers }: RetryOptions, cause: unknown): QueueUnavailableError {
  return new QueueUnavailableError(
    `Kafka at ${brokers} was not available for ${what} within ${budgetMs / 1000} s: ${reasonOf(cause)}.`,
    { cause },
  )
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function closed(what: string, cause?: unknown): QueueUnavailableError {
  return new QueueUnavailableError(`The queue was closed during ${what}.`, { cause })
}
