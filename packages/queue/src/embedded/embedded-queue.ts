import { resolve } from 'node:path'
import type { Queue } from '../queue.ts'
import { deleteBefore } from './delete-before.ts'
import { type EngineOptions, openEngine } from './open-engine.ts'
import { follow } from './reading/follow.ts'
import { findLatest } from './reading/latest.ts'
import { findOffsetForTime } from './reading/offset-for-time.ts'
import { partitionAt, readNow } from './reading/read.ts'
import type { Partition } from './storage/topics.ts'
import { closedError } from './storage/write-lock.ts'
import { createRecordBuffer } from './writing/record-buffer.ts'
import { openWriter } from './writing/writer.ts'

/**
 * Opens a queue that lies in one SQLite file. Any number of processes of one machine may have it open.
 *
 * @throws {UserError} `queue_not_found`, `permission_denied`, `unsupported_storage`, or
 *   `damaged_storage`.
 */
export async function createEmbeddedQueue(options: EngineOptions): Promise<Queue> {
  const close = new AbortController()
  const engine = await openEngine({ ...options, directory: resolve(options.directory) }, close.signal)
  const { storage, lock, atOneMoment, topics, changes, committed, closing } = engine

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
        if (!buffer.empty) committed(await lock.run(buffer.writeAll))
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
    // The records of an open transaction lie nowhere before it is committed.
    highWatermark: async (topic, partition) => {
      partitionOf(topic, partition)
      return atOneMoment(() => topics.describe([topic])[0]!.partitions[partition]!.end)
    },
    offsetForTime: async (topic, partition, timeMs) => findOffsetForTime(engine, partitionOf(topic, partition), timeMs),
    deleteBefore: async (topic, partition, offset) => deleteBefore(engine, partitionOf(topic, partition), offset),
    follow: (positions, { signal }) => follow(engine, positions, signal),
    metrics: () => [],
    close: async () => {
      if (closing.aborted) return
      close.abort()
      storage.database.close()
    },
  }
}
