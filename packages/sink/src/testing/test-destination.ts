import { AssertionError } from 'node:assert'
import { createBench } from './bench.ts'
import type { DestinationCase } from './case.ts'
import { continuationCases } from './continuation-cases.ts'
import type { DestinationTest, DestinationTestResult } from './destination-test.ts'
import { killCases } from './kill-cases.ts'
import { nameCases } from './name-cases.ts'
import { revertCases } from './revert-cases.ts'
import { takeOverCases } from './take-over-cases.ts'
import { valueCases } from './value-cases.ts'

/**
 * Tests that a destination keeps the contract of `Destination`: what it stores equals the canonical records, and its
 * cursor belongs to them, whatever the records are and wherever a run ends.
 *
 * A destination may refuse a topic in `prepare`, and a value in `apply`, with a `UserError`. Then it must have stored
 * nothing of that call. The result lists what was refused.
 *
 * @throws {AssertionError} names the case, and has the difference.
 *
 * @example
 * ```ts
 * test('the sink keeps the contract', async () => {
 *   const { refused } = await testDestination({ sink: (place) => fileSink(join(folder, place)) })
 *   expect(refused).toEqual([])
 * })
 * ```
 */
export async function testDestination(test: DestinationTest): Promise<DestinationTestResult> {
  const passed: string[] = []
  const refused: string[] = []
  const { records } = test.sink('kind')
  for (const { name, needs, run } of allCases(test)) {
    if (needs === 'reverts' && records === 'final') continue
    const bench = createBench(test, { place: `case_${passed.length}`, refused })
    try {
      await run(bench)
    } catch (error) {
      throw withName(error, name)
    } finally {
      await bench.close()
    }
    passed.push(name)
    test.onCase?.(name)
  }
  return { cases: passed, refused }
}

function allCases({ kill }: DestinationTest): DestinationCase[] {
  return [
    ...continuationCases,
    ...revertCases,
    ...valueCases,
    ...nameCases,
    ...takeOverCases,
    ...(kill ? killCases(kill) : []),
  ]
}

function withName(error: unknown, name: string): AssertionError {
  const { message, actual, expected } = error as AssertionError
  const options = { message: `Case: ${name}. ${message}`, actual, expected, operator: 'testDestination' }
  return Object.assign(new AssertionError(options), { cause: error })
}
