import type { Queue } from '@headrace/queue'
import type { Report } from './finding.ts'
import type { StoredCheckpoints } from './stored-checkpoints.ts'
import type { WholeUnits } from './whole-units.ts'

/** What the parts of a verification share. */
export interface Audit {
  readonly queue: Queue
  readonly writerId: string
  readonly stored: StoredCheckpoints
  readonly whole: WholeUnits
  readonly signal: AbortSignal
  readonly report: Report
  /** Counts offsets of data topics, for the progress. */
  onRead(offsets: number): void
}
