const baseMs = 500
const capMs = 30_000

/**
 * The wait before a try, in ms: a random time below a bound that doubles with each failure, so that clients which lost
 * the same gateway do not come back at once.
 *
 * @param attempt - 1 for the first try after a failure.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(capMs, baseMs * 2 ** (attempt - 1))
}
