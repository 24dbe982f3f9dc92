import { setTimeout as delay } from 'node:timers/promises'
import { type Stopwatch, startStopwatch } from '@headrace/queue'
import type { RetryLimits } from './run-options.ts'

export interface Retry extends Disposable {
  readonly budgetMs: number
  /**
   * Pauses, longer each time, or until an abort. Resolves to false at once where the pause would exceed the budget.
   * `report` is called first; with `undefined` there is no further attempt.
   */
  wait(report?: (next: NextTry | undefined) => void): Promise<boolean>
  reset(): void
}

export interface NextTry {
  readonly retryInMs: number
  /** After this time there is no further attempt. */
  readonly givesUpInMs: number
}

export interface RetryClock {
  startStopwatch(): Stopwatch
  pause(ms: number, signal: AbortSignal): Promise<unknown>
}

/** Time in which the process was suspended does not count. */
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
    budgetMs,
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
