/** Measures time in which this process could work. */
export interface Stopwatch extends Disposable {
  /** Milliseconds since the start, or since the process last woke up. */
  readonly elapsedMs: number
}

/**
 * Starts a stopwatch for a time limit. Time in which the process was stopped, or its machine asleep, is not time in which
 * something was tried: after such a gap the count starts again from zero, so that what is tried gets its whole time.
 *
 * A gap is longer than 5 s between two ticks of one second. To be disposed, or its timer goes on.
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
