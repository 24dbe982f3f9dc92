import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunTask } from '../simulation/command/messages.ts'
import { runInChildren } from '../simulation/command/run-in-children.ts'
import { addTally, createTally } from '../simulation/command/tally.ts'
import type { Outcome } from '../simulation/scenario.ts'

const program = join(import.meta.dirname, 'simulated-toys.ts')
/** Longer than a test may take. */
const longMs = 600_000

async function run(
  tasks: readonly RunTask[],
  options: { readonly untilFailure?: boolean; readonly signal?: AbortSignal; readonly silenceMs?: number } = {},
) {
  const all = createTally()
  const failed: Outcome[] = []
  const shrunk: Outcome[] = []
  await runInChildren(
    { tasks, jobs: 2, program, silenceMs: longMs, ...options },
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
  const tasks = [seeds('never ends', 5, 3), seeds('exits', 8, 1), seeds('fails on pause', 1, 1)]
  const { failed } = await run(tasks, { silenceMs: 2_000 })
  expect(failed.map(({ scenario, seed, failure }) => [scenario, seed, failure]).sort()).toEqual([
    ['exits', 8, 'its process ended with exit code 3'],
    ['never ends', 5, 'it does not come to an end within 2 s'],
  ])
})

test('an interrupted run ends although a seed does not', async () => {
  const signal = AbortSignal.timeout(500)
  const { failed } = await run([seeds('never ends', 1, 1)], { signal })
  expect(failed).toEqual([])
})
