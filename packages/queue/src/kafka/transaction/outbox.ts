import { UnknownTopicError } from '../../errors.ts'
import type { NewRecord } from '../../queue.ts'
import type { BatchEncoder } from '../../record-batch/encode.ts'
import type { KnownTopic, TopicDirectory } from '../admin/topic-directory.ts'
import { checkSize, fullBatchBytes } from './batch-limits.ts'
import { closeBatch } from './outgoing-batch.ts'
import { createProduceLine, type ProduceLineOptions } from './produce-line.ts'

/** The records of one transaction on their way to the leaders of their partitions. */
export interface Outbox {
  /** Whether no record was added. */
  readonly empty: boolean
  /** Whether the brokers may have heard of the transaction. */
  readonly begun: boolean
  /** Whether a batch could not be sent, was refused or not answered: the transaction can only be aborted. */
  readonly failed: boolean
  /** Encodes a record. A batch leaves when it is full. Throws `RecordTooLargeError`. */
  add(record: NewRecord): void
  /** Resolves when few enough bytes are waiting to leave or to be answered. */
  drained(): Promise<void>
  /** Sends the rest and resolves when every batch is acknowledged. Throws the first failure. */
  flush(): Promise<void>
  /** Drops what has not left and resolves when nothing is on its way. */
  discard(): Promise<void>
}

export interface OutboxOptions extends ProduceLineOptions {
  readonly directory: TopicDirectory
}

interface PartitionBatch {
  readonly topic: string
  readonly partition: number
  /** Bytes of the largest batch that the topic takes. */
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
    const { maxBatchBytes: maxBytes, compacted } = lookUp(directory, topic, partition)
    const batch: PartitionBatch = { topic, partition, maxBytes, compacted, encoder: encoders.take() }
    const ofTopic = topics.get(topic) ?? []
    ofTopic[partition] = batch
    topics.set(topic, ofTopic)
    return batch
  }

  function leave(batches: readonly PartitionBatch[]): void {
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

  function release(): void {
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
        if (batch.encoder.count > 0) leave([batch])
        batch.encoder.append(record)
      }
      empty = false
    },
    drained: line.drained,
    async flush() {
      // One Produce carries at most one batch of a partition.
      const rest = partitions().filter(({ encoder }) => encoder.count > 0)
      if (rest.length > 0) leave(rest)
      release()
      await line.settled()
      if (line.failure !== undefined) throw line.failure
    },
    async discard() {
      release()
      await line.settled()
    },
  }
}

/**
 * What is known of a topic. One that has not been heard of may be new: whether it exists is known when its leader is
 * looked for, and what it takes when the broker has been asked, for the records that come later.
 */
function lookUp(directory: TopicDirectory, topic: string, partition: number): KnownTopic {
  if (!Number.isInteger(partition) || partition < 0) throw new UnknownTopicError(topic, partition)
  const known = directory.get(topic)
  if (known && partition < known.partitions) return known
  directory.load([topic]).catch(() => {})
  return { partitions: Number.POSITIVE_INFINITY, maxBatchBytes: Number.POSITIVE_INFINITY, compacted: false }
}
