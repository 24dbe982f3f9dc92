import { resolve } from 'node:path'
import { PositionLostError, TopicMismatchError } from '../errors.ts'
import type { Queue } from '../queue.ts'
import type { Engine } from './engine.ts'
import { type EngineOptions, openEngine } from './open-engine.ts'
import { createDescribe } from './reading/describe.ts'
import { findOffsetForTime, follow, partitionAt, readNow } from './reading/read.ts'
import { closedError } from './storage/storage.ts'
import type { Partition } from './storage/topic-rows.ts'
import { createRecordBuffer } from './writing/record-buffer.ts'
import { openWriter } from './writing/writer.ts'

/**
 * Any number of processes on one machine may have the queue open.
 *
 * @throws {UserError} `queue_not_found`, `permission_denied`, `unsupported_storage`, or `damaged_storage`.
 */
export async function createEmbeddedQueue(options: EngineOptions): Promise<Queue> {
  const close = new AbortController()
  const engine = await openEngine({ ...options, directory: resolve(options.directory) }, close.signal)
  const { storage, lock, inSnapshot, topics, batches, changes, notifyCommitted, closing } = engine

  const describe = createDescribe(engine)

  return {
    engine: 'embedded',
    createTopics: topics.create,
    describe: async (names) => describe(names),
    openWriter: (options) => openWriter(engine, options),
    append: async (records) => {
      if (closing.aborted) throw closedError()
      const buffer = createRecordBuffer(engine)
      try {
        for (const record of records) buffer.add(record)
        if (!buffer.empty) notifyCommitted(await lock.run(buffer.writeAll))
      } finally {
        buffer.clear()
      }
    },
    read: async (at, { maxBytes, maxWaitMs = 0, signal }) => {
      signal?.throwIfAborted()
      const partition = partitionAt(engine, at)
      const { offset } = at
      const found = readNow(engine, partition, offset, maxBytes)
      if (found.next < found.end || found.batches.length > 0 || maxWaitMs <= 0) return found
      await changes.wait(new Map([[partition, offset]]), signal, maxWaitMs)
      signal?.throwIfAborted()
      return readNow(engine, partition, offset, maxBytes)
    },
    // An open transaction has no offsets yet, so it cannot change the result.
    latest: async (topic, number, key) =>
      inSnapshot(() => {
        const partition = topics.partition(topic, number)
        const row = batches.newest(partition, key, topics.earliest(partition))
        return row && batches.load(partition, row).records().next().value
      }),
    // Records of an open transaction are not in the file yet, so the high watermark is the end.
    highWatermark: async (topic, number) => inSnapshot(() => topics.bounds(topics.partition(topic, number)).end),
    offsetForTime: async (topic, number, timeMs) => findOffsetForTime(engine, topics.partition(topic, number), timeMs),
    deleteBefore: async (topic, number, offset) => deleteBefore(engine, topics.partition(topic, number), offset),
    follow: (positions, { signal }) => follow(engine, positions, signal),
    metrics: () => [],
    close: async () => {
      if (closing.aborted) return
      close.abort()
      storage.database.close()
    },
  }
}

async function deleteBefore({ lock, topics, batches }: Engine, partition: Partition, offset: bigint): Promise<void> {
  const newEarliest = await lock.run(() => {
    if (partition.cleanup !== 'delete') {
      const difference = `its cleanup is "${partition.cleanup}", and only compaction removes records of such a topic`
      throw new TopicMismatchError(partition.topic, difference)
    }
    const bounds = topics.bounds(partition)
    if (offset < 0n || offset > bounds.end) throw new PositionLostError({ ...partition, offset }, bounds)
    // An interrupted removal has left batches before the earliest offset.
    if (offset <= bounds.earliest) return Number(bounds.earliest)
    topics.setEarliest(partition, Number(offset))
    return Number(offset)
  })
  while (await lock.run(() => batches.removeBefore(partition, newEarliest))) {}
}
