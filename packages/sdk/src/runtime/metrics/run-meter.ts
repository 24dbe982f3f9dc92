import type { EndpointHealth } from '../../source/fetch/endpoint-state.ts'
import type { RunTotals } from '../run-options.ts'

/** What a run has done so far. It is counted where it happens, once for each unit or transaction, never for a record. */
export interface RunMeter extends Mutable<RunTotals> {
  /** When the run began, in ms since the Unix epoch. */
  readonly startedAt: number
  /** `undefined` until the run owns its topics. */
  writerId: string | undefined
  transactions: number
  /** Units that took others back, the units that they took back, and the records of these. */
  reverts: number
  revertedUnits: number
  revertedRecords: number
  /** How often `read` was called again, and a transaction begun again with the same units. */
  readonly retries: { read: number; commit: number }
  /** What has failed and is waiting to be tried again. */
  readonly failing: { read: boolean; commit: boolean }
  /** Time spent waiting for the source, encoding and committing, in ms. They overlap. */
  readonly stageMs: { fetch: number; encode: number; commit: number }
  /** In ms since the Unix epoch. */
  lastCommitAt: number | undefined
  /** What the source told last, in a unit of its own. */
  progress: { readonly at: number; readonly head: number } | undefined
  /** How the endpoints of the source do at this moment. */
  endpoints: () => readonly EndpointHealth[]
}

export type Stage = keyof RunMeter['stageMs']

export function createRunMeter(): RunMeter {
  return {
    startedAt: Date.now(),
    writerId: undefined,
    units: 0,
    records: 0,
    bytes: 0,
    badMessages: 0,
    transactions: 0,
    reverts: 0,
    revertedUnits: 0,
    revertedRecords: 0,
    retries: { read: 0, commit: 0 },
    failing: { read: false, commit: false },
    stageMs: { fetch: 0, encode: 0, commit: 0 },
    lastCommitAt: undefined,
    progress: undefined,
    endpoints: () => [],
  }
}

/** How far the source is behind its head, in its own unit; `undefined` where it does not tell. */
export function lagOf({ progress }: RunMeter): number | undefined {
  return progress && Math.max(0, progress.head - progress.at)
}

/** Adds the time that a step takes to its stage. */
export async function timed<T>({ stageMs }: RunMeter, stage: Stage, step: Promise<T>): Promise<T> {
  const start = performance.now()
  try {
    return await step
  } finally {
    stageMs[stage] += performance.now() - start
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
