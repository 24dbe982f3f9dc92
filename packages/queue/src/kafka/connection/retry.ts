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
  const { what, budgetMs, signal, log } = options
  using stopwatch = startStopwatch()
  let warned = false
  for (let tries = 1; ; tries++) {
    if (signal.aborted) throw closed(what)
    using current = startAttempt(stopwatch, options)
    try {
      return await Promise.race([attempt(current), current.expired])
    } catch (error) {
      if (signal.aborted) throw closed(what, error)
      if (!isTransient(error)) throw asQueueError(error, what, options.principal)
      const { elapsedMs } = stopwatch
      const pauseMs = pauseAfter(tries, error, elapsedMs)
      if (elapsedMs + pauseMs >= budgetMs) {
        const message = `Kafka at ${options.brokers} was not available for ${what} within ${budgetMs / 1000} s: ${reasonOf(error)}.`
        throw new QueueUnavailableError(message, { cause: error })
      }
      if (!warned && elapsedMs > warnAfterMs) {
        warned = true
        log.warn({ what, reason: reasonOf(error) }, 'Kafka is not available, trying again')
      }
      await delay(pauseMs, undefined, { signal }).catch(() => {})
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
function pauseAfter(tries: number, error: unknown, elapsedMs: number): number {
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

interface RunningAttempt extends Attempt, Disposable {
  /** Rejects at the end of the budget, and when the signal is aborted. */
  readonly expired: Promise<never>
}

function startAttempt(stopwatch: Stopwatch, { budgetMs, signal }: RetryOptions): RunningAttempt {
  const { promise: expired, reject } = Promise.withResolvers<never>()
  expired.catch(() => {})
  const expire = (): void => reject(new NoAnswerError('no answer within the budget'))
  let timer: NodeJS.Timeout | undefined

  function check(): void {
    const remainingMs = budgetMs - stopwatch.elapsedMs
    if (remainingMs <= 0) expire()
    else timer = setTimeout(check, Math.ceil(remainingMs))
  }

  check()
  signal.addEventListener('abort', expire)
  const attempt = {
    over: false,
    expired,
    [Symbol.dispose]() {
      attempt.over = true
      clearTimeout(timer)
      signal.removeEventListener('abort', expire)
    },
  }
  return attempt
}

export function asQueueError(error: unknown, what: string, principal?: string): Error {
  if (error instanceof HeadraceError) return error
  if (isPermissionError(error)) {
    return new UserError('permission_denied', explainDenial(error, what, principal), { cause: error })
  }
  if (isTransient(error)) return new QueueUnavailableError(`Kafka is not available for ${what}.`, { cause: error })
  return error instanceof Error ? error : new Error(String(error))
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function closed(what: string, cause?: unknown): QueueUnavailableError {
  return new QueueUnavailableError(`The queue was closed during ${what}.`, { cause })
}
