import { setTimeout as delay } from 'node:timers/promises'
import type { RetryLimits } from './run-options.ts'

export interface Retry {
  /** Pauses, longer each time. False, at once, when the budget would be over by then. An abort ends the pause. */
  wait(): Promise<boolean>
  /** It has worked: the next pause is the first one again. */
  reset(): void
}

export interface RetryClock {
  /** Milliseconds that only go on. */
  now(): number
  /** Resolves after so many ms, and rejects at an abort. */
  pause(ms: number, signal: AbortSignal): Promise<unknown>
}

/** Paces attempts after failures that follow one another. */
export function createRetry(limits: RetryLimits, signal: AbortSignal, clock: RetryClock = systemClock): Retry {
  const { firstMs = 1000, maxMs = 30_000, budgetMs = 300_000 } = limits
  let delayMs = firstMs
  let failingSince: number | undefined
  return {
    async wait() {
      const now = clock.now()
      failingSince ??= now
      if (now - failingSince + delayMs > budgetMs) return false
      const currentMs = delayMs
      delayMs = Math.min(delayMs * 2, maxMs)
      await clock.pause(currentMs, signal).catch(() => {})
      return true
    },
    reset() {
      delayMs = firstMs
      failingSince = undefined
    },
  }
}

const systemClock: RetryClock = {
  now: () => performance.now(),
  pause: (ms, signal) => delay(ms, undefined, { signal }),
}
