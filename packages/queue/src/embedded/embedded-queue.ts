import { resolve } from 'node:path'
import type { Queue } from '../queue.ts'
import { createBatchBytes } from './batch-bytes.ts'
import { createBatchRows } from './batch-rows.ts'
import { createBatchTable } from './batch-table.ts'
import { createChanges } from './changes.ts'
import { deleteBefore } from './delete-before.ts'
import type { Engine } from './engine.ts'
import { follow } from './follow.ts'
import { findLatest } from './latest.ts'
import { createMoment } from './moment.ts'
import { findOffsetForTime } from './offset-for-time.ts'
import { partitionAt, readNow } from './read.ts'
import { createRecordBuffer } from './record-buffer.ts'
import { toQueueError } from './sqlite-error.ts'
import { openStorage, type Storage } from './storage.ts'
import { createTopicRows } from './topic-rows.ts'
import { createTopicTable, type Partition } from './topics.ts'
import { closedError, createWriteLock } from './write-lock.ts'
import { openWriter } from './writer.ts'
import { createWriterTable } from './writer-table.ts'

export interface EmbeddedQueueOptions {
  /** Folder of the queue. On a local disk: SQLite's log is shared through memory. */
  readonly directory: string
  /** Whether it is made where there is none. */
  readonly create: boolean
}

/**
 * Opens a queue that lies in one SQLite file. Any number of processes of one machine may have it open.
 *
 * @throws {UserError} `queue_not_found`, `permission_denied`, or `unsupported_storage`.
 */
export async function createEmbeddedQueue({ directory, create }: EmbeddedQueueOptions): Promise<Queue> {
  const close = new AbortController()
  const engine = await openEngine({ directory: resolve(directory), create }, close.signal)
  const { storage, lock, atOneMoment, topics, changes, closing } = engine

  /** The one partition that a call is about. */
  function partitionOf(topic: string, number: number): Partition {
    if (closing.aborted) throw closedError()
    return topics.partition(topic, number)
  }

  return {
    createTopics: async (specs) => {
      if (closing.aborted) throw closedError()
      await topics.create(specs)
    },
    describe: async (names) => {
      if (closing.aborted) throw closedError()
      return atOneMoment(() => topics.describe(names))
    },
    openWriter: (options) => openWriter(engine, options),
    append: async (records) => {
      if (closing.aborted) throw closedError()
      const buffer = createRecordBuffer(engine)
      try {
        for (const record of records) buffer.add(record)
        if (!buffer.empty) changes.committed(await lock.run(buffer.writeAll))
      } finally {
        buffer.clear()
      }
    },
    read: async (at, { maxBytes, maxWaitMs = 0, signal }) => {
      signal?.throwIfAborted()
      if (closing.aborted) throw closedError()
      const partition = partitionAt(engine, at)
      const { offset } = at
      const found = readNow(engine, partition, offset, maxBytes)
      if (found.next < found.end || found.batches.length > 0 || maxWaitMs <= 0) return found
      await changes.wait(new Map([[partition, offset]]), { timeoutMs: maxWaitMs, signal })
      signal?.throwIfAborted()
      if (closing.aborted) throw closedError()
      return readNow(engine, partition, offset, maxBytes)
    },
    latest: async (topic, partition, key) => findLatest(engine, partitionOf(topic, partition), key),
    offsetForTime: async (topic, partition, timeMs) => findOffsetForTime(engine, partitionOf(topic, partition), timeMs),
    deleteBefore: async (topic, partition, offset) => deleteBefore(engine, partitionOf(topic, partition), offset),
    follow: (positions, { signal }) => follow(engine, positions, signal),
    close: async () => {
      if (closing.aborted) return
      close.abort()
      storage.database.close()
    },
  }
}

async function openEngine(options: EmbeddedQueueOptions, closing: AbortSignal): Promise<Engine> {
  const storage = await openStorage(options)
  try {
    return createEngine(storage, closing)
  } catch (error) {
    storage.database.close()
    throw toQueueError(error, storage.file)
  }
}

function createEngine(storage: Storage, closing: AbortSignal): Engine {
  const lock = createWriteLock(storage, closing)
  const batchRows = createBatchRows(storage)
  const batches = createBatchTable(batchRows, createBatchBytes(storage), lock)
  return {
    storage,
    lock,
    atOneMoment: createMoment(storage),
    topics: createTopicTable(storage, { rows: createTopicRows(storage), batchRows, lock }),
    batches,
    writers: createWriterTable(storage, lock),
    changes: createChanges(storage, batches, closing),
    closing,
  }
}
