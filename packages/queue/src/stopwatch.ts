export interface Stopwatch extends Disposable {
  /** Milliseconds since the start, or since the process was last resumed. */
  readonly elapsedMs: number
}

/**
 * For a time limit. Starts again from zero if the process was stopped or its machine asleep for more than 5 s. Must be
 * disposed, because it has a timer.
 */
export function startStopwatch(): Stopwatch {
  let elapsedMs = 0
  let countedAt = performance.now()

  function count(): number {
    const now = performance.now()
    const stepMs = now - countedAt
    elapsedMs = stepMs > gapMs ? 0 : elapsedMs + stepMs
    countedAt = now
    return elapsedMs
  }

  const ticking = setInterval(count, tickMs).unref()
  return {
    get elapsedMs() {
      return count()
    },
    [Symbol.dispose]: () => clearInterval(ticking),
  }
}

const tickMs = 1_000
const gapMs = 5_000
