export interface ShrinkOptions<T> {
  /** All faults of a run that fails, in their order. */
  readonly faults: readonly T[]
  /**
   * Runs with these faults at most. Resolves to those that have struck where it fails in the same way, which may be
   * fewer, and to undefined where it does not.
   */
  readonly attempt: (faults: readonly T[]) => Promise<readonly T[] | undefined>
  /** After as many attempts it is good enough. */
  readonly maxAttempts: number
}

/**
 * Leaves out faults for as long as a run still fails without them: all, then halves, then smaller parts (delta
 * debugging, Zeller and Hildebrandt 2002). What is left fails, and with enough attempts none of it can be left out alone.
 */
export async function shrink<T>({ faults, attempt, maxAttempts }: ShrinkOptions<T>): Promise<readonly T[]> {
  let attempts = 1
  let left = (await attempt([])) ?? faults
  let parts = 2
  while (left.length > 0 && attempts < maxAttempts) {
    const size = Math.ceil(left.length / parts)
    let smaller: readonly T[] | undefined
    // The last faults are the most likely ones to matter: begin with the others.
    for (let from = 0; from < left.length && !smaller && attempts < maxAttempts; from += size) {
      attempts++
      smaller = await attempt(left.filter((_, index) => index < from || index >= from + size))
    }
    if (smaller) {
      left = smaller
      parts = Math.max(2, parts - 1)
    } else if (size === 1) break
    else parts = Math.min(left.length, 2 * parts)
  }
  return left
}
