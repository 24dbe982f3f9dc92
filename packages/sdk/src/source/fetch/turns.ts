/** Lets those wait for whom there is no room until something has changed. */
export interface Turns {
  /** Resolves at the next change, or after so many ms. Rejects at an abort, with its reason. */
  wait(options: WaitOptions): Promise<void>
  /** Resolves after so many ms, whatever changes. */
  pause(options: WaitOptions): Promise<void>
  /** Wakes all that wait, in the order in which they came. */
  change(): void
}

export interface WaitOptions {
  readonly signal: AbortSignal
  readonly ms: number
}

/** What timers take. */
const longestMs = 2 ** 31 - 1

export function createTurns(): Turns {
  let waiting = new Set<() => void>()
  return {
    wait: (options) => waitAmong(waiting, options),
    pause: (options) => waitAmong(new Set(), options),
    change() {
      const woken = waiting
      waiting = new Set()
      for (const wake of woken) wake()
    },
  }
}

function waitAmong(waiting: Set<() => void>, { signal, ms }: WaitOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(wake, Math.min(ms, longestMs))
    function wake(): void {
      leave()
      resolve()
    }
    function giveUp(): void {
      leave()
      reject(signal.reason)
    }
    function leave(): void {
      waiting.delete(wake)
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
    }
    waiting.add(wake)
    signal.addEventListener('abort', giveUp)
  })
}
