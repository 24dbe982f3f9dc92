import { expect, inject, test } from 'vitest'
import { tasksOf } from '../../simulation/command/tasks.ts'
import { scenarios } from '../../simulation/scenarios/index.ts'
import { failuresOf } from '../failures-of.ts'

/** Fixed seeds from 1000 on, and new ones derived from the fault seed. */
const { fixed, fresh } = {
  once: { fixed: 40, fresh: 0 },
  scaled: { fixed: 4_000, fresh: 400 },
  full: { fixed: 8_000, fresh: 100_000 },
}[inject('faultScale')]

test('the guarantees hold under the faults of many seeds', { timeout: 24 * 60 * 60_000 }, async () => {
  const common = { scenarios: scenarios.map(({ name }) => name), jobs: 2 }
  const found = await failuresOf([
    ...tasksOf({ ...common, from: 1_000, seeds: fixed }),
    ...tasksOf({ ...common, from: inject('faultSeed'), seeds: fresh }),
  ])
  expect(found.failures.join('\n\n')).toBe('')
  expect(found.seeds).toBe(fixed + fresh)
})
