import type { Outcome } from '../scenario.ts'

/** Counts over the seeds of a scenario. */
export interface Tally {
  seeds: number
  failed: number
  steps: number
  virtualMs: number
  /** CPU time in ms. */
  cpuMs: number
  /** Number of faults by kind. */
  readonly struck: Record<string, number>
}

export function createTally(): Tally {
  return { seeds: 0, failed: 0, steps: 0, virtualMs: 0, cpuMs: 0, struck: {} }
}

export function count(tally: Tally, outcome: Outcome, cpuMs: number): void {
  const struck: Record<string, number> = {}
  for (const { kind } of outcome.faults) struck[kind] = (struck[kind] ?? 0) + 1
  const { steps, virtualMs, failure } = outcome
  addTally(tally, { seeds: 1, failed: failure === undefined ? 0 : 1, steps, virtualMs, cpuMs, struck })
}

export function addTally(tally: Tally, other: Tally): void {
  for (const name of ['seeds', 'failed', 'steps', 'virtualMs', 'cpuMs'] as const) tally[name] += other[name]
  for (const [kind, times] of Object.entries(other.struck)) tally.struck[kind] = (tally.struck[kind] ?? 0) + times
}
