import type { BatchTable } from './batch-table.ts'
import type { Changes } from './changes.ts'
import type { AtOneMoment } from './moment.ts'
import type { Storage } from './storage.ts'
import type { Partition, TopicTable } from './topics.ts'
import type { WriteLock } from './write-lock.ts'
import type { WriterTable } from './writer-table.ts'

/** The parts of an open queue. */
export interface Engine {
  readonly storage: Storage
  readonly lock: WriteLock
  readonly atOneMoment: AtOneMoment
  readonly topics: TopicTable
  readonly batches: BatchTable
  readonly writers: WriterTable
  readonly changes: Changes
  /** To be called after each commit of this process, with the partitions that grew. */
  committed(partitions: readonly Partition[]): void
  /** Aborted when the queue is closed. */
  readonly closing: AbortSignal
}
