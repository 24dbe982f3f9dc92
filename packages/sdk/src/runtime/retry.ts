import { setTimeout as pause } from 'node:timers/promises'
import type { RetryLimits } from './run-options.ts'

export interface Retry {
  /** Pauses, longer each time. False, at once, when the budget would be over by then. An abort ends the pause. */
  wait(): Promise<boolean>
  /** It has worked: the next pause is the first one again. */
  reset(): void
}

/** Paces attempts after failures that follow one another. */
export function createRetry(limits: RetryLimits, signal: AbortSignal): Retry {
  const { firstMs = 1000, maxMs = 30_000, budgetMs = 300_000 } = limits
  let delayMs = firstMs
  let failingSince: number | undefined
  return {
    async wait() {
      const now = performance.now()
      failingSince ??= now
      if (now - failingSince + delayMs > budgetMs) return false
      const currentMs = delayMs
      delayMs = Math.min(delayMs * 2, maxMs)
      await pause(currentMs, undefined, { signal }).catch(() => {})
      return true
    },
    reset() {
      delayMs = firstMs
      failingSince = undefined
    },
  }
}
