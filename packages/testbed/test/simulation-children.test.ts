import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunTask } from '../simulation/command/messages.ts'
import { runInChildren } from '../simulation/command/run-in-children.ts'
import { addTally, createTally } from '../simulation/command/tally.ts'
import type { Outcome } from '../simulation/scenario.ts'

const program = join(import.meta.dirname, 'simulated-toys.ts')

async function run(
  tasks: readonly RunTask[],
  options: { readonly untilFailure?: boolean; readonly signal?: AbortSignal } = {},
) {
  const all = createTally()
  const failed: Outcome[] = []
  const shrunk: Outcome[] = []
  await runInChildren(
    { tasks, jobs: 2, program, silenceMs: 5_000, ...options },
    { ran: (_, tally) => addTally(all, tally), failed: (one) => failed.push(one), shrunk: (one) => shrunk.push(one) },
  )
  return { all, failed, shrunk }
}

const seeds = (scenario: string, from: number, seeds: number) => ({ what: 'run', scenario, from, seeds }) as const

test('every failure is reported, and the first of its kind is shrunk to the necessary fault', async () => {
  const { all, failed, shrunk } = await run([seeds('fails on pause', 1, 20), seeds('fails on pause', 21, 20)])
  expect(all).toMatchObject({ seeds: 40, failed: failed.length })
  expect(failed.length).toBeGreaterThan(3)
  expect(shrunk).toHaveLength(1)
  expect(shrunk[0]!.faults.map(({ kind }) => kind)).toEqual(['program paused'])
  expect(shrunk[0]!.trace.at(-1)).toContain('oracle       it was paused at')
})

test('the first failure ends the run if that is requested', async () => {
  const tasks = Array.from({ length: 100 }, (_, index) => seeds('fails on pause', 10 * index, 10))
  const { all, shrunk } = await run(tasks, { untilFailure: true })
  expect(all.seeds).toBeLessThan(100)
  expect(shrunk).toHaveLength(1)
})

test('a seed that never ends and a seed that ends its process count as failures', async () => {
  const { failed } = await run([seeds('never ends', 5, 3), seeds('exits', 8, 1), seeds('fails on pause', 1, 1)])
  expect(failed.map(({ scenario, seed, failure }) => [scenario, seed, failure]).sort()).toEqual([
    ['exits', 8, 'its process ended with exit code 3'],
    ['never ends', 5, 'it does not come to an end within 5 s'],
  ])
})

test('an interrupted run ends immediately', async () => {
  const begun = performance.now()
  const { failed } = await run([seeds('never ends', 1, 1)], { signal: AbortSignal.timeout(1_000) })
  expect(performance.now() - begun).toBeLessThan(4_500)
  expect(failed).toEqual([])
})
