import { AssertionError, deepStrictEqual } from 'node:assert'

/**
 * Asserts deep equality. The message says what it is about, then shows the difference.
 *
 * @throws {AssertionError}
 */
export function assertEqual(actual: unknown, expected: unknown, about: string): void {
  try {
    deepStrictEqual(actual, expected)
  } catch (error) {
    throw new AssertionError({
      message: `${about}\n${(error as Error).message}`,
      actual,
      expected,
      operator: 'deepStrictEqual',
      stackStartFn: assertEqual,
    })
  }
}
