import { setTimeout as delay } from 'node:timers/promises'
import { type Stopwatch, startStopwatch } from '@headrace/queue'
import type { RetryLimits } from './run-options.ts'

export interface Retry extends Disposable {
  /**
   * Pauses, longer each time, or until an abort. Resolves to false at once where the pause would exceed the budget.
   *
   * @param report - Called first with what comes next; with `undefined` where there is no further attempt.
   */
  wait(report?: (next: NextTry | undefined) => void): Promise<boolean>
  /** Call it after a success: the next pause is the first one again. */
  reset(): void
}

/** As fields of a log line, in ms from now. */
export interface NextTry {
  readonly retryInMs: number
  /** The last possible attempt. */
  readonly givesUpInMs: number
}

export interface RetryClock {
  startStopwatch(): Stopwatch
  /** Resolves after `ms`, and rejects at an abort. */
  pause(ms: number, signal: AbortSignal): Promise<unknown>
}

/** Paces attempts after consecutive failures. Time in which the process was suspended does not count. */
export function createRetry(limits: RetryLimits, signal: AbortSignal, clock: RetryClock = systemClock): Retry {
  const { firstMs = 1000, maxMs = 30_000, budgetMs = 300_000 } = limits
  let delayMs = firstMs
  let failing: Stopwatch | undefined

  function reset(): void {
    delayMs = firstMs
    failing?.[Symbol.dispose]()
    failing = undefined
  }

  return {
    async wait(report) {
      failing ??= clock.startStopwatch()
      const leftMs = budgetMs - failing.elapsedMs
      if (delayMs > leftMs) {
        report?.(undefined)
        return false
      }
      const currentMs = delayMs
      report?.({ retryInMs: currentMs, givesUpInMs: Math.round(leftMs) })
      delayMs = Math.min(delayMs * 2, maxMs)
      await clock.pause(currentMs, signal).catch(() => {})
      return true
    },
    reset,
    [Symbol.dispose]: reset,
  }
}

const systemClock: RetryClock = {
  startStopwatch,
  pause: (ms, signal) => delay(ms, undefined, { signal }),
}
