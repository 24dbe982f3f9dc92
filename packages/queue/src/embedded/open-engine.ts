import type { Logger } from '../logger.ts'
import { type CompactionSettings, createCompactor, defaultCompaction } from './compaction.ts'
import type { Engine } from './engine.ts'
import { createChanges } from './reading/changes.ts'
import { createBatchRows } from './storage/batch-rows.ts'
import { createBatchTable } from './storage/batch-table.ts'
import { toQueueError } from './storage/sqlite-error.ts'
import { createSnapshot, openStorage, type StorageOptions } from './storage/storage.ts'
import { createTopicRows } from './storage/topic-rows.ts'
import { createTopicTable } from './storage/topics.ts'
import { createWriteLock } from './storage/write-lock.ts'
import { createWriterRows, createWriterTable } from './storage/writers.ts'

export interface EngineOptions extends StorageOptions {
  readonly compaction?: Partial<CompactionSettings>
  readonly log?: Logger | undefined
}

export async function openEngine(options: EngineOptions, closing: AbortSignal): Promise<Engine> {
  const storage = await openStorage(options)
  try {
    const lock = createWriteLock(storage, closing)
    const batchRows = createBatchRows(storage)
    const batches = createBatchTable(batchRows, lock)
    const changes = createChanges(storage, batches, closing)
    const inSnapshot = createSnapshot(storage, closing)
    const topics = createTopicTable(storage, { rows: createTopicRows(storage), batchRows, lock, inSnapshot })
    const writers = createWriterTable(createWriterRows(storage), lock)
    const parts = { storage, lock, inSnapshot, topics, batches, writers, changes, closing }
    const compactor = createCompactor(parts, { ...defaultCompaction, ...options.compaction }, options.log)
    return {
      ...parts,
      notifyCommitted(partitions) {
        changes.notifyCommitted(partitions)
        compactor.notifyCommitted(partitions)
      },
    }
  } catch (error) {
    storage.database.close()
    throw toQueueError(error, storage.file)
  }
}
