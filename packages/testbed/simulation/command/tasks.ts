import type { RunTask } from './messages.ts'

export interface SeedRange {
  /** The scenarios, in turn. */
  readonly scenarios: readonly string[]
  readonly from: number
  /** Total number. */
  readonly seeds: number
  readonly jobs: number
}

/** Divides seeds among the scenarios in small groups. */
export function* tasksOf({ scenarios, from, seeds, jobs }: SeedRange): Generator<RunTask> {
  const each = Math.max(1, Math.min(10, Math.ceil(seeds / (scenarios.length * jobs))))
  for (let given = 0, turn = 0; given < seeds; given += each, turn++) {
    const scenario = scenarios[turn % scenarios.length]!
    yield { what: 'run', scenario, from: from + given, seeds: Math.min(each, seeds - given) }
  }
}
