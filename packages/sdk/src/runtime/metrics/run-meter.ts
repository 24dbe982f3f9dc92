import type { RunReport } from '@headrace/catalog'
import { Histogram } from 'prom-client'
import type { EndpointHealth } from '../../source/fetch/endpoint-state.ts'
import type { EncodedUnit } from '../cycle/encoded-unit.ts'
import type { RunTotals } from '../run-options.ts'

/** Updated for each unit or transaction, not for each record. */
export class RunMeter implements RunTotals {
  readonly startedAt: number = Date.now()
  writerId: string | undefined
  units = 0
  records = 0
  bytes = 0
  badMessages = 0
  transactions = 0
  /** Units with `revertTo`, the units that they reverted, and their records. */
  reverts = 0
  revertedUnits = 0
  revertedRecords = 0
  /** Further calls of `read`, and further transactions with the same units. */
  readonly retries: Record<'read' | 'commit', number> = { read: 0, commit: 0 }
  readonly failing: Record<'read' | 'commit', boolean> = { read: false, commit: false }
  /** Ms of waiting for the source, encoding and committing. They overlap. */
  readonly stageMs: Record<'fetch' | 'encode' | 'commit', number> = { fetch: 0, encode: 0, commit: 0 }
  readonly commitDuration: Histogram = new Histogram({
    name: 'headrace_connector_commit_duration_seconds',
    help: 'Duration of a transaction, until it is visible or has failed.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [],
  })
  lastCommitAt: number | undefined
  progress: { readonly at: number; readonly head: number } | undefined
  endpoints: () => readonly EndpointHealth[] = () => []
}

export function lagOf({ progress }: RunMeter): number | undefined {
  return progress && Math.max(0, progress.head - progress.at)
}

export function reportOf({ progress, endpoints }: RunMeter): RunReport {
  return {
    ...(progress && { source: { position: progress.at, head: progress.head } }),
    endpoints: endpoints().map(({ name, state }) => ({ endpoint: name, up: state === 'serving' })),
  }
}

export async function timed<T>(meter: RunMeter, stage: keyof RunMeter['stageMs'], step: Promise<T>): Promise<T> {
  const start = performance.now()
  try {
    return await step
  } finally {
    const ms = performance.now() - start
    meter.stageMs[stage] += ms
    if (stage === 'commit') meter.commitDuration.observe(ms / 1000)
  }
}

export function countCommit(meter: RunMeter, units: readonly EncodedUnit[]): void {
  meter.transactions++
  meter.lastCommitAt = Date.now()
  meter.failing.commit = false
  meter.units += units.length
  for (const { records, bytes, deadLetters, revert } of units) {
    meter.records += records.length
    meter.bytes += bytes
    meter.badMessages += deadLetters.length
    if (!revert) continue
    meter.reverts++
    meter.revertedUnits += revert.units
    meter.revertedRecords += revert.records
  }
}

export function totalsOf({ units, records, bytes, badMessages }: RunMeter): RunTotals {
  return { units, records, bytes, badMessages }
}
