import { setTimeout as delay } from 'node:timers/promises'
import { type Stopwatch, startStopwatch } from '@headrace/queue'
import type { RetryLimits } from './run-options.ts'

export interface Retry extends Disposable {
  /**
   * Pauses, longer each time. False, at once, when the budget would be over by then. An abort ends the pause.
   *
   * @param report - Is given what comes next, before the pause; `undefined` where there is none.
   */
  wait(report?: (next: NextTry | undefined) => void): Promise<boolean>
  /** It has worked: the next pause is the first one again. */
  reset(): void
}

/** As fields of a log line, in ms from now. */
export interface NextTry {
  /** The next attempt. */
  readonly retryInMs: number
  /** No attempt is made after this. */
  readonly givesUpInMs: number
}

export interface RetryClock {
  startStopwatch(): Stopwatch
  /** Resolves after so many ms, and rejects at an abort. */
  pause(ms: number, signal: AbortSignal): Promise<unknown>
}

/** Paces attempts after failures that follow one another. Time in which the process was asleep is not tried time. */
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
