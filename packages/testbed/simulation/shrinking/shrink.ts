export interface ShrinkOptions<T> {
  /** All faults of the failing run, in order. */
  readonly faults: readonly T[]
  /**
   * Runs with only these faults. Resolves to those that happened, which may be fewer, if it fails in the same way, and
   * otherwise to undefined.
   */
  readonly attempt: (faults: readonly T[]) => Promise<readonly T[] | undefined>
  /** Maximum number of attempts. */
  readonly maxAttempts: number
}

/**
 * Removes faults while a run still fails without them: all, then halves, then smaller parts (delta debugging, Zeller
 * and Hildebrandt 2002). With enough attempts every remaining fault is necessary.
 */
export async function shrink<T>({ faults, attempt, maxAttempts }: ShrinkOptions<T>): Promise<readonly T[]> {
  let attempts = 1
  let left = (await attempt([])) ?? faults
  let parts = 2
  while (left.length > 0 && attempts < maxAttempts) {
    const size = Math.ceil(left.length / parts)
    let smaller: readonly T[] | undefined
    // Begin with the first faults, because the last ones are the most likely cause.
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
