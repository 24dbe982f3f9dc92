import type { Destination, SinkBatch, SinkContext, SinkRecord } from '../destination/destination.ts'
import { deliver, type Receiver } from './deliver.ts'
import { messagesOf } from './messages.ts'
import type { Delivered, StateFile } from './state-file.ts'

export interface WebhookDestinationOptions {
  readonly receiver: Receiver
  readonly state: StateFile
  readonly batch: number
}

/** Partitions to which requests are sent at the same time. */
const concurrency = 16

export function createWebhookDestination(
  { signal }: SinkContext,
  { receiver, state, batch: batchSize }: WebhookDestinationOptions,
): Destination {
  return {
    async prepare() {},
    readCursor: async (topic) => state.read(topic).cursor,
    async apply(batch) {
      const progress = trackProgress(batch, state)
      const failure = new AbortController()
      const stop = AbortSignal.any([signal, failure.signal])
      const partitions = Map.groupBy(progress.undelivered, ({ partition }) => partition).values()
      const works = Array.from({ length: concurrency }, async () => {
        // The workers share the iterator.
        for (const records of partitions)
          for (const message of messagesOf(records, batchSize)) {
            await deliver(message, receiver, stop)
            progress.add(message.records)
          }
      })
      const failed = works.map((work) => work.catch((error) => failure.abort(error)))
      await Promise.all(failed)
      if (failure.signal.aborted) throw failure.signal.reason
      progress.finish()
    },
    close: async () => state.close(),
  }
}

interface Progress {
  readonly undelivered: readonly SinkRecord[]
  /** These are of one partition, and follow those added before. */
  add(records: readonly SinkRecord[]): void
  finish(): void
}

/**
 * Stores what is delivered after each answer. Partitions differ in how far they are: the cursor is that before the first
 * record that is not delivered, and each partition has the offset of its last one.
 */
function trackProgress({ topic, records, cursor }: SinkBatch, state: StateFile): Progress {
  const start = state.read(topic)
  const offsets: Record<string, string> = { ...start.offsets }
  const isDelivered = ({ partition, offset }: SinkRecord) => {
    const last = offsets[partition]
    return last !== undefined && BigInt(offset) <= BigInt(last)
  }
  let first = 0
  const write = (delivered: Delivered) => state.write(topic, delivered)
  return {
    undelivered: records.filter((record) => !isDelivered(record)),
    add(added) {
      const last = added.at(-1)!
      offsets[last.partition] = last.offset
      while (first < records.length && isDelivered(records[first]!)) first++
      write({ cursor: first === 0 ? start.cursor : records[first - 1]!.cursor, offsets })
    },
    finish() {
      const after = new Map(records.map(({ partition, offset }) => [`${partition}`, BigInt(offset)]))
      const ahead = Object.entries(offsets).filter(
        ([partition, offset]) => BigInt(offset) > (after.get(partition) ?? -1n),
      )
      write({ cursor, offsets: Object.fromEntries(ahead) })
    },
  }
}
