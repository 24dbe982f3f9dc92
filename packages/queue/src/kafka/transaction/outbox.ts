import { UnknownTopicError } from '../../errors.ts'
import type { NewRecord } from '../../queue.ts'
import type { BatchEncoder } from '../../record-batch/encode.ts'
import type { KnownTopic, TopicDirectory } from '../admin/topic-directory.ts'
import { fullBatchBytes } from '../connection/kafka-settings.ts'
import { checkSize, closeBatch } from './outgoing-batch.ts'
import { createProduceLine, type ProduceLineOptions } from './produce-line.ts'

export interface Outbox {
  readonly empty: boolean
  /** Whether a broker may have received a part of the transaction. */
  readonly begun: boolean
  /** Then the transaction can only be aborted. */
  readonly failed: boolean
  /** Sends the batch when it is full. Throws `RecordTooLargeError`. */
  add(record: NewRecord): void
  /** Waits until fewer than `bufferBytes` are unsent or unacknowledged. */
  drained(): Promise<void>
  /** Sends all records and waits until they are acknowledged. Throws the first error. */
  flush(): Promise<void>
  /** Drops records that are not sent, and waits until no request is running. */
  discard(): Promise<void>
}

export interface OutboxOptions extends ProduceLineOptions {
  readonly directory: TopicDirectory
}

interface PartitionBatch {
  readonly topic: string
  readonly partition: number
  readonly maxBytes: number
  readonly compacted: boolean
  encoder: BatchEncoder
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { cluster, directory, encoders } = options
  const line = createProduceLine(options)
  const topics = new Map<string, (PartitionBatch | undefined)[]>()
  let empty = true

  function batchOf(topic: string, partition: number): PartitionBatch {
    const existing = topics.get(topic)?.[partition]
    if (existing) return existing
    const { maxBatchBytes: maxBytes, compacted } = knownOrNew(directory, topic, partition)
    const batch: PartitionBatch = { topic, partition, maxBytes, compacted, encoder: encoders.take() }
    const ofTopic = topics.get(topic) ?? []
    ofTopic[partition] = batch
    topics.set(topic, ofTopic)
    return batch
  }

  function sendOut(batches: readonly PartitionBatch[]): void {
    const outgoing = batches.map((batch) => {
      const full = batch.encoder
      batch.encoder = encoders.take()
      return closeBatch(full, batch, cluster.settings)
    })
    line.push(outgoing)
  }

  function partitions(): PartitionBatch[] {
    return [...topics.values()].flatMap((ofTopic) => ofTopic.filter((batch) => batch !== undefined))
  }

  function releaseEncoders(): void {
    for (const { encoder } of partitions()) encoders.give(encoder)
    topics.clear()
  }

  return {
    get empty() {
      return empty
    },
    get begun() {
      return line.begun
    },
    get failed() {
      return line.failure !== undefined
    },
    add(record) {
      const batch = batchOf(record.topic, record.partition ?? 0)
      if (!batch.encoder.tryAppend(record, Math.min(batch.maxBytes, fullBatchBytes))) {
        checkSize(record, batch.maxBytes)
        if (batch.encoder.count > 0) sendOut([batch])
        batch.encoder.append(record)
      }
      empty = false
    },
    drained: line.drained,
    async flush() {
      const remaining = partitions().filter(({ encoder }) => encoder.count > 0)
      if (remaining.length > 0) sendOut(remaining)
      releaseEncoders()
      await line.settled()
      if (line.failure !== undefined) throw line.failure
    },
    async discard() {
      releaseEncoders()
      await line.settled()
    },
  }
}

/** An unknown topic may be new: it is loaded for later records. If it does not exist, looking up its leader fails. */
function knownOrNew(directory: TopicDirectory, topic: string, partition: number): KnownTopic {
  if (!Number.isInteger(partition) || partition < 0) throw new UnknownTopicError(topic, partition)
  const known = directory.get(topic)
  if (known && partition < known.partitions) return known
  directory.load([topic]).catch(() => {})
  return { partitions: Number.POSITIVE_INFINITY, maxBatchBytes: Number.POSITIVE_INFINITY, compacted: false }
}
