import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import { tasksOf } from '../simulation/command/tasks.ts'
import { regressions } from '../simulation/regressions.ts'
import { scenarios } from '../simulation/scenarios/index.ts'
import { failuresOf } from './failures-of.ts'

const names = scenarios.map(({ name }) => name)
/** A dozen of each scenario. From this seed on, every kind of fault occurs among them. */
const firstFixed = 301
const fixed = 84
const fresh = 7

test('the guarantees hold under the faults of 84 fixed seeds, 7 new ones, and all that failed before', async () => {
  const from = inject('faultSeed')
  console.log(`The new seeds are ${from} to ${from + fresh - 1}.`)
  const tasks = [
    ...tasksOf({ scenarios: names, from: firstFixed, seeds: fixed, jobs: 2 }),
    ...tasksOf({ scenarios: names, from, seeds: fresh, jobs: 2 }),
    ...regressions.map(({ scenario, seed }) => ({ what: 'run', scenario, from: seed, seeds: 1 }) as const),
  ]
  const { seeds, failures } = await failuresOf(tasks)
  expect(failures.join('\n\n')).toBe('')
  expect(seeds).toBe(fixed + fresh + regressions.length)
})

test('a seed has the same trace in every process, regardless of earlier seeds', async () => {
  const [afterOthers, alone] = await Promise.all([
    tracesOf(['--from', '2', '--seeds', '2']),
    tracesOf(['--seed', '3', ...names.toReversed().flatMap((name) => ['--scenario', name])]),
  ])
  for (const name of names) {
    const trace = alone.get(`${name}, seed 3`)!
    expect(trace.length).toBeGreaterThan(5)
    expect(afterOthers.get(`${name}, seed 3`)).toEqual(trace)
  }
})

/** The traces that the command prints, each with its closing line, by scenario and seed. */
async function tracesOf(args: readonly string[]): Promise<Map<string, string[]>> {
  const program = join(import.meta.dirname, '../simulation/main.ts')
  const all = ['--conditions=@headrace/source', program, ...args, '--trace']
  const { stdout } = await promisify(execFile)(process.execPath, all, { maxBuffer: 2 ** 30 })
  const traces = new Map<string, string[]>()
  let lines: string[] = []
  for (const line of stdout.split('\n')) {
    lines.push(line)
    const [, run] = /^([a-z-]+, seed \d+): /.exec(line) ?? []
    if (run === undefined) continue
    traces.set(run, lines)
    lines = []
  }
  return traces
}
