import type { Changes } from './reading/changes.ts'
import type { BatchTable } from './storage/batch-table.ts'
import type { InSnapshot, Storage } from './storage/storage.ts'
import type { Partition } from './storage/topic-rows.ts'
import type { TopicTable } from './storage/topics.ts'
import type { WriteLock } from './storage/write-lock.ts'
import type { WriterTable } from './storage/writers.ts'

export interface Engine {
  readonly storage: Storage
  readonly lock: WriteLock
  readonly inSnapshot: InSnapshot
  readonly topics: TopicTable
  readonly batches: BatchTable
  readonly writers: WriterTable
  readonly changes: Changes
  /** To be called after each commit of this process. */
  notifyCommitted(partitions: readonly Partition[]): void
  readonly closing: AbortSignal
}
